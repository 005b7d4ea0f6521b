! Columns as a derived type, by mpif.h, and a sweep through all processes, one after the other.
program clover
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 16, steps = 4
  integer :: field(0:n+1, 0:n+1), wall(n), total, own
  integer :: ierr, rank, ranks, column, left, right, step, i, j, grid, provided
  integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), dims(1)
  logical :: periods(1)
  call MPI_INIT_THREAD(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  dims(1) = ranks
  periods(1) = .true.
  call MPI_CART_CREATE(MPI_COMM_WORLD, 1, dims, periods, .false., grid, ierr)
  call MPI_COMM_RANK(grid, rank, ierr)
  call MPI_CART_SHIFT(grid, 0, 1, left, right, ierr)
  call MPI_TYPE_VECTOR(n, 1, n + 2, MPI_INTEGER, column, ierr)
  call MPI_TYPE_COMMIT(column, ierr)
  field = rank
  do step = 1, steps
    call MPI_IRECV(field(0, 1), 1, column, left, 1, grid, requests(1), ierr)
    call MPI_IRECV(field(n + 1, 1), 1, column, right, 2, grid, requests(2), ierr)
    call MPI_ISEND(field(n, 1), 1, column, right, 1, grid, requests(3), ierr)
    call MPI_ISEND(field(1, 1), 1, column, left, 2, grid, requests(4), ierr)
    call MPI_WAITALL(4, requests, statuses, ierr)
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        field(i, j) = iand(field(i, j) + field(0, j) + field(n + 1, j) + i, 4095)
      end do
    end do
    !$omp end parallel do
    wall = 0
    if (rank > 0) call MPI_RECV(wall, n, MPI_INTEGER, rank - 1, 3, grid, MPI_STATUS_IGNORE, ierr)
    !$omp parallel do
    do j = 1, n
      wall(j) = iand(wall(j) + field(n, j), 4095)
    end do
    !$omp end parallel do
    if (rank < ranks - 1) call MPI_SEND(wall, n, MPI_INTEGER, rank + 1, 3, grid, ierr)
  end do
  own = sum(wall)
  call MPI_ALLREDUCE(own, total, 1, MPI_INTEGER, MPI_SUM, grid, ierr)
  if (rank == 0) print '(i0)', total
  call MPI_TYPE_FREE(column, ierr)
  call MPI_COMM_FREE(grid, ierr)
  call MPI_FINALIZE(ierr)
end program clover
