/* ---- Files. */

enum { SPLIT_COLLECTIVE = POMP_MPI_NON_BLOCKING | POMP_MPI_COLLECTIVE_FILE };

static void opened(MPI_Comm comm, const void *name, size_t length, int mode, const void *made,
                   int result, int f)
{
  int access = mode & MPI_MODE_RDWR ? 2 : mode & MPI_MODE_WRONLY ? 1 : 0;
  uint32_t creation = (mode & MPI_MODE_CREATE ? 1u : 0) | (mode & MPI_MODE_EXCL ? 8u : 0)
                      | (mode & MPI_MODE_SEQUENTIAL ? 512u : 0)
                      | (mode & MPI_MODE_UNIQUE_OPEN ? 1024u : 0);
  uint32_t status = (mode & MPI_MODE_APPEND ? 2u : 0)
                    | (mode & MPI_MODE_DELETE_ON_CLOSE ? 256u : 0);
  if (result == MPI_SUCCESS)
    pomp_mpi_file_open(H(file_at(made, f)), H(comm), name, text_bytes(name, length, f), access,
                       creation, status);
}

static void deleted(const void *name, size_t length, int result, int f)
{
  if (result == MPI_SUCCESS)
    pomp_mpi_file_delete(name, text_bytes(name, length, f));
}

static void sought(MPI_File file, MPI_Offset request, int whence, int is_shared, int result)
{
  MPI_Offset place = 0;
  if (result != MPI_SUCCESS)
    return;
  if (is_shared)
    PMPI_File_get_position_shared(file, &place);
  else
    PMPI_File_get_position(file, &place);
  pomp_mpi_file_seek(H(file), request, whence == MPI_SEEK_CUR ? 1 : whence == MPI_SEEK_END ? 2 : 0,
                     (uint64_t)place);
}

static inline uint64_t moves(MPI_File file, int mode, uint32_t flags, int64_t count,
                             MPI_Datatype type)
{
  return pomp_mpi_file_begin(H(file), mode, flags, bytes_of(count, type));
}

static inline void moved(MPI_File file, uint64_t id, int mode, const void *status, int result, int f)
{
  if (result == MPI_SUCCESS)
    pomp_mpi_file_end(H(file), id, mode, bytes_in(status, f));
  else
    pomp_mpi_failed();
}

/* An operation that an earlier call has begun is over, one way or the other. */
static void split_moved(MPI_File file, uint64_t id, int mode, const void *status, int result, int f)
{
  if (id != 0)
    pomp_mpi_file_end(H(file), id, mode, result == MPI_SUCCESS ? bytes_in(status, f) : 0);
}

static void moving(MPI_File file, uint64_t id, int mode, int64_t count, MPI_Datatype type,
                   const void *request, int result, int f)
{
  uint64_t bytes = bytes_of(count, type);
  if (result != MPI_SUCCESS) {
    pomp_mpi_failed();
    return;
  }
  struct pomp_mpi_request made = { .handle = H(request_at(request, 0, f)), .id = id,
    .comm = H(file), .kind = POMP_MPI_FILE_REQUEST,
    .sent = mode == POMP_MPI_WRITE ? bytes : 0, .received = mode == POMP_MPI_READ ? bytes : 0 };
  pomp_mpi_file_issued(H(file), id);
  pomp_mpi_request(&made);
}

