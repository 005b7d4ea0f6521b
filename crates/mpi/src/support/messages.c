/* ---- Messages. */

struct message {
  int sender, tag;
  uint64_t bytes;
};

/* What a status says of the bytes that were received or moved. */
static uint64_t bytes_of_status(const MPI_Status *status)
{
  int count = 0;
  MPI_Count large = 0;
  PMPI_Get_count((MPI_Status *)status, MPI_BYTE, &count);
  if (count != MPI_UNDEFINED)
    return count < 0 ? 0 : (uint64_t)count;
  PMPI_Get_elements_x((MPI_Status *)status, MPI_BYTE, &large);
  return large > 0 ? (uint64_t)large : 0;
}

static uint64_t bytes_in(const void *status, int f)
{
  MPI_Status own;
  if (f)
    PMPI_Status_f2c((MPI_Fint *)status, &own);
  return bytes_of_status(f ? &own : status);
}

/* What a status says of the message that was received. */
static struct message received_with(const void *status, int f)
{
  struct message message = { MPI_PROC_NULL, 0, 0 };
  MPI_Status own;
  const MPI_Status *of = status;
  if (f) {
    PMPI_Status_f2c((MPI_Fint *)status, &own);
    of = &own;
  }
  message.sender = of->MPI_SOURCE;
  message.tag = of->MPI_TAG;
  if (message.sender != MPI_PROC_NULL && message.sender != MPI_ANY_SOURCE)
    message.bytes = bytes_of_status(of);
  return message;
}

/* A message that did not fit is received, too. */
static int has_received(int result)
{
  int class = MPI_SUCCESS;
  if (result == MPI_SUCCESS)
    return 1;
  PMPI_Error_class(result, &class);
  return class == MPI_ERR_TRUNCATE;
}

/* A message or a request that is complete, of which nothing else is told. */
static inline void found(void)
{
  if (is_traced())
    pomp_mpi_found();
}

static inline void sends(MPI_Comm comm, int dest, int tag, int64_t count, MPI_Datatype type)
{
  if (dest == MPI_PROC_NULL)
    return;
  pomp_mpi_send(H(comm), dest, tag, bytes_of(count, type));
  if (has_stamps())
    tell(shadow_of(comm), dest, tag);
}

/* After the send: one that fails has sent nothing. */
static inline void sent(MPI_Comm comm, int dest, int tag, int result)
{
  if (result == MPI_SUCCESS || dest == MPI_PROC_NULL || has_received(result))
    return;
  pomp_mpi_failed();
  if (has_stamps())
    take_back(shadow_of(comm), dest, tag);
}

static inline void received(MPI_Comm comm, const void *status, int result, int f)
{
  if (!has_received(result))
    return;
  struct message message = received_with(status, f);
  if (message.sender < 0)
    return;
  if (has_stamps())
    hear(shadow_of(comm), message.sender, message.tag);
  heard();
  pomp_mpi_recv(H(comm), message.sender, message.tag, message.bytes);
}

