program ring
  use mpi_f08
  implicit none
  integer :: rank, ranks, token, total, next, last, i
  type(MPI_Comm) :: half
  type(MPI_Request) :: requests(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)
  do i = 1, 3
    call MPI_Irecv(token, 1, MPI_INTEGER, last, 7, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(rank, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end do
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 1, token, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, &
    MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call MPI_Barrier(half)
  call MPI_Comm_free(half)
  !$omp parallel num_threads(2)
  !$omp end parallel
  if (rank == 0) print '(a,i0)', 'sum ', total
  call MPI_Finalize()
end program
