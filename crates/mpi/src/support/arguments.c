/* ---- Arguments. */

static inline MPI_Request request_at(const void *requests, int index, int f)
{
  return f ? PMPI_Request_f2c(((const MPI_Fint *)requests)[index])
           : ((const MPI_Request *)requests)[index];
}

static inline MPI_Comm comm_at(const void *comm, int f)
{
  return f ? PMPI_Comm_f2c(*(const MPI_Fint *)comm) : *(const MPI_Comm *)comm;
}

static inline MPI_Message message_at(const void *message, int f)
{
  return f ? PMPI_Message_f2c(*(const MPI_Fint *)message) : *(const MPI_Message *)message;
}

static inline MPI_Win win_at(const void *win, int f)
{
  return f ? PMPI_Win_f2c(*(const MPI_Fint *)win) : *(const MPI_Win *)win;
}

static inline MPI_File file_at(const void *file, int f)
{
  return f ? PMPI_File_f2c(*(const MPI_Fint *)file) : *(const MPI_File *)file;
}

/* A text of Fortran is as long as its variable: blanks follow it. */
static size_t text_bytes(const char *text, size_t length, int f)
{
  if (!f)
    return text ? strlen(text) : 0;
  while (length > 0 && text[length - 1] == ' ')
    length--;
  return length;
}

static inline int is_true(const void *flag)
{
  return *(const int *)flag != 0;
}

/* Addresses by which Fortran programs say something: that they want no status, that the data is in
   the receive buffer. Which names there are depends on the library. */
struct constant {
  const char *const names[5];
  void *addresses[4];
  int known;
};

static int is_constant(const void *address, struct constant *constant)
{
  for (int i = 0; !constant->known && constant->names[i]; i++)
    constant->addresses[i] = anywhere(constant->names[i]);
  constant->known = 1;
  for (int i = 0; i < 4; i++)
    if (address && address == constant->addresses[i])
      return 1;
  return 0;
}

static int is_ignored(const void *status, int f)
{
  static struct constant of_f08 = { { "MPIR_F08_MPI_STATUS_IGNORE_OBJ",
    "MPIR_F08_MPI_STATUSES_IGNORE_OBJ", NULL }, { NULL }, 0 };
  if (!f)
    return status == (const void *)MPI_STATUS_IGNORE || status == (const void *)MPI_STATUSES_IGNORE;
  return status == (const void *)MPI_F_STATUS_IGNORE
         || status == (const void *)MPI_F_STATUSES_IGNORE || is_constant(status, &of_f08);
}

static int is_in_place(const void *buffer, int f)
{
  static struct constant in_place = { { "mpi_fortran_in_place_", "mpi_fortran_in_place",
    "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE", NULL }, { NULL }, 0 };
  return buffer == MPI_IN_PLACE || (f && is_constant(buffer, &in_place));
}

/* ---- Bytes. */

/* With whom a process communicates: those of the other group of an intercommunicator, else all. */
struct peers {
  int rank, size, inter;
};

/* How often handles were freed that something is remembered of. */
static unsigned freed;

static inline void forget(void)
{
  __atomic_fetch_add(&freed, 1, __ATOMIC_RELEASE);
}

/* What MPI said last of a type and of a communicator: mostly, the next call has the same ones. */
static __thread struct {
  unsigned freed_type, freed_comm;
  MPI_Datatype type;
  MPI_Comm comm;
  uint64_t type_bytes;
  struct peers peers;
} last __attribute__((tls_model("initial-exec")));

static uint64_t ask_type(MPI_Datatype type)
{
  int size = 0;
  MPI_Count large = 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS)
    return 0;
  if (size >= 0)
    return (uint64_t)size;
  PMPI_Type_size_x(type, &large);
  return large > 0 ? (uint64_t)large : 0;
}

static inline uint64_t bytes_of(int64_t count, MPI_Datatype type)
{
  unsigned now = __atomic_load_n(&freed, __ATOMIC_ACQUIRE) + 1;
  if (count <= 0 || type == MPI_DATATYPE_NULL)
    return 0;
  if (last.freed_type != now || last.type != type) {
    last.type_bytes = ask_type(type);
    last.type = type;
    last.freed_type = now;
  }
  return (uint64_t)count * last.type_bytes;
}

static struct peers ask_comm(MPI_Comm comm)
{
  struct peers peers = { 0, 0, 0 };
  if (comm == MPI_COMM_NULL)
    return peers;
  PMPI_Comm_rank(comm, &peers.rank);
  PMPI_Comm_test_inter(comm, &peers.inter);
  if (peers.inter)
    PMPI_Comm_remote_size(comm, &peers.size);
  else
    PMPI_Comm_size(comm, &peers.size);
  return peers;
}

static inline struct peers peers_of(MPI_Comm comm)
{
  unsigned now = __atomic_load_n(&freed, __ATOMIC_ACQUIRE) + 1;
  if (last.freed_comm != now || last.comm != comm) {
    last.peers = ask_comm(comm);
    last.comm = comm;
    last.freed_comm = now;
  }
  return last.peers;
}

static int64_t count_at(const void *counts, size_t size, int index)
{
  return size == sizeof(int) ? ((const int *)counts)[index] : ((const MPI_Count *)counts)[index];
}

static uint64_t total(const void *counts, size_t size, int n, MPI_Datatype type)
{
  int64_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += count_at(counts, size, i);
  return bytes_of(sum, type);
}

static uint64_t total_of_types(const void *counts, size_t size, int n, const void *types, int f)
{
  uint64_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += bytes_of(count_at(counts, size, i), f ? PMPI_Type_f2c(((const MPI_Fint *)types)[i])
                                                 : ((const MPI_Datatype *)types)[i]);
  return sum;
}

