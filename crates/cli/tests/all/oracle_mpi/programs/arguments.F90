! What only Fortran's arguments have, between two processes: constants that are addresses, sections of
! arrays, and with LARGE counts of another kind. In mpif.h (MPIF), use mpi, or use mpi_f08 (F08).
program arguments
#ifdef F08
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: whole
#else
#ifdef MPIF
  implicit none
  include 'mpif.h'
#else
  use mpi
  implicit none
#endif
  integer :: whole
#endif
  integer, volatile :: values(10)
  integer(MPI_ADDRESS_KIND) :: address(1)
  integer :: rank, error
#ifdef LARGE
  integer(MPI_COUNT_KIND) :: many = 10
  integer(MPI_ADDRESS_KIND) :: unit = 1, bytes = 16
  type(MPI_Win) :: window
  type(c_ptr) :: memory
#endif
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  values = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 5, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Get_address(values, address(1), error)
  call MPI_Type_create_struct(1, [10], address, [MPI_INTEGER], whole, error)
  call MPI_Type_commit(whole, error)
  if (rank == 0) then
    call MPI_Send(values(1:10:2), 5, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
    call MPI_Send(MPI_BOTTOM, 1, whole, 1, 2, MPI_COMM_WORLD, error)
  else
    call MPI_Recv(values, 5, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Recv(MPI_BOTTOM, 1, whole, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end if
  call MPI_Type_free(whole, error)
#ifdef LARGE
  if (rank == 0) then
    call MPI_Send(values, many, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, error)
  else
    call MPI_Recv(values, many, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end if
  call MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, memory, window, error)
  call MPI_Win_free(window, error)
#endif
  if (rank == 0) print '(a,10i2)', 'values', values
  call MPI_Finalize(error)
end program
