// What MPI makes is owned by objects, whose destructors give it back; errors are exceptions.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

static void check(int result)
{
  if (result != MPI_SUCCESS)
    throw std::runtime_error("MPI");
}

class Environment {
public:
  Environment(int *argc, char ***argv)
  {
    int provided;
    check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
  }
  ~Environment() { MPI_Finalize(); }
};

class Communicator {
  MPI_Comm comm_;

public:
  explicit Communicator(MPI_Comm like)
  {
    check(MPI_Comm_dup(like, &comm_));
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  }
  ~Communicator() { MPI_Comm_free(&comm_); }
  Communicator(const Communicator &) = delete;
  operator MPI_Comm() const { return comm_; }
  int rank() const { int rank; check(MPI_Comm_rank(comm_, &rank)); return rank; }
  int size() const { int size; check(MPI_Comm_size(comm_, &size)); return size; }
};

class Request {
  MPI_Request request_ = MPI_REQUEST_NULL;

public:
  template <typename T> Request(std::vector<T> &to, int from, MPI_Comm comm)
  {
    check(MPI_Irecv(to.data(), static_cast<int>(to.size() * sizeof(T)), MPI_BYTE, from, 0, comm,
                    &request_));
  }
  Request(Request &&other) noexcept : request_(other.request_) { other.request_ = MPI_REQUEST_NULL; }
  ~Request() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
};

template <typename T> static long dot(const std::vector<T> &a, const std::vector<T> &b, MPI_Comm comm)
{
  long local = 0, all = 0;
#pragma omp parallel for reduction(+ : local)
  for (std::size_t i = 0; i < a.size(); i++)
    local += a[i] * b[i];
  check(MPI_Allreduce(&local, &all, 1, MPI_LONG, MPI_SUM, comm));
  return all;
}

int main(int argc, char **argv)
{
  Environment environment(&argc, &argv);
  Communicator world(MPI_COMM_WORLD);
  const int rank = world.rank(), size = world.size();
  std::vector<int> x(100, rank + 1), halo(100);
  long result = 0;
  for (int iteration = 0; iteration < 6; iteration++) {
    {
      std::vector<Request> requests;
      requests.reserve(1);
      requests.emplace_back(halo, (rank + size - 1) % size, world);
      check(MPI_Send(x.data(), 400, MPI_BYTE, (rank + 1) % size, 0, world));
    }
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
      x[i] = (x[i] + halo[i]) & 0xff;
    result = dot(x, halo, world);
  }
  int failed = 0;
  try {
    check(MPI_Recv(x.data(), 1, MPI_INT, size + 5, 0, world, MPI_STATUS_IGNORE));
  } catch (const std::runtime_error &) {
    failed = 1;
  }
  if (rank == 0)
    std::printf("%ld %d\n", result, failed);
}
