/* ---- Sessions. A program of sessions alone never says where all of its processes are together, but
   most make a communicator of all that their launcher has started. Its members become a job while
   it is there. What comes before, and communicators of fewer processes alone, are only timed. */

/* How many processes the launcher has started, from the program's own question. */
static int launched;

static void asked_for_group(const char *name, size_t length, const void *made, int result, int f)
{
  static const char everybody[] = "mpi://WORLD";
  int size = 0;
  if (result != MPI_SUCCESS || text_bytes(name, length, f) != sizeof everybody - 1
      || memcmp(name, everybody, sizeof everybody - 1))
    return;
  PMPI_Group_size(f ? PMPI_Group_f2c(*(const MPI_Fint *)made) : *(const MPI_Group *)made, &size);
  __atomic_store_n(&launched, size, __ATOMIC_RELAXED);
}

/* Whether the job begins with this communicator, or goes on with it. Its members may have come to
   different opinions, in sessions of other threads too, so they agree. */
static int is_world(MPI_Comm comm)
{
  int rank = 0, size = 0, all = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  int fits = world_size ? rank == world_rank && size == world_size
                        : size == __atomic_load_n(&launched, __ATOMIC_RELAXED);
  int have = fits && !__atomic_exchange_n(&has_world, 1, __ATOMIC_ACQ_REL);
  if (PMPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
    all = 0;
  if (have && !all)
    __atomic_store_n(&has_world, 0, __ATOMIC_RELEASE);
  return all;
}

/* The same tag in all members, as a number. */
static int number_of(const char *tag, size_t length, int f)
{
  unsigned number = 5381;
  for (size_t i = 0, bytes = text_bytes(tag, length, f); i < bytes; i++)
    number = 33 * number + (unsigned char)tag[i];
  return (int)number;
}

static void created_from_group(const char *tag, size_t length, const void *made, int result, int f)
{
  MPI_Comm comm = result == MPI_SUCCESS ? comm_at(made, f) : MPI_COMM_NULL;
  if (comm == MPI_COMM_NULL)
    return;
  int is_first = is_world(comm);
  if (is_first)
    begin_job(comm);
  define_created(MPI_COMM_NULL, made, number_of(tag, length, f), result, f);
  if (is_first)
    measure_offsets();
}

/* Before the program frees the communicator of all processes, with all of them. */
static void leaving_world(void)
{
  end_job();
  __atomic_store_n(&has_world, 0, __ATOMIC_RELEASE);
}

/* A session is over. Others may follow; that MPI was left as it should be is said once. */
static void session_ended(int result)
{
  static int is_said;
  if (result == MPI_SUCCESS && world_size && !__atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED))
    pomp_mpi_finalized();
}
