program pointers
  use, intrinsic :: iso_c_binding
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer, pointer :: values(:)
  integer :: error, unit, rank
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  type(c_ptr) :: place
#ifdef F08
  type(MPI_Win) :: window
#else
  integer :: window
#endif
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  bytes = 16
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, window, error)
  call c_f_pointer(place, values, [4])
  values = rank
  call MPI_Win_free(window, error)
  call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, window, error)
  call MPI_Win_shared_query(window, 1, bytes, unit, place, error)
  if (rank == 0) print '(a,i0)', "bytes ", bytes
  call MPI_Win_free(window, error)
  call MPI_Alloc_mem(bytes, MPI_INFO_NULL, place, error)
  call c_f_pointer(place, values, [4])
  call MPI_Free_mem(values, error)
  call MPI_Finalize(error)
end program
