program ring
#ifndef MPIF
  use mpi
#endif
  implicit none
#ifdef MPIF
  include "mpif.h"
#endif
  integer :: rank, ranks, token, total, next, last, half, i, requests(2), error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)
  do i = 1, 3
    call MPI_Irecv(token, 1, MPI_INTEGER, last, 7, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(rank, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 1, token, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, &
    MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)
  !$omp parallel num_threads(2)
  !$omp end parallel
  if (rank == 0) print '(a,i0)', 'sum ', total
  call MPI_Finalize(error)
end program
