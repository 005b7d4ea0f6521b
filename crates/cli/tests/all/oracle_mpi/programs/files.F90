program files
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: values(4), error
  character(len=20) :: name
#ifdef F08
  type(MPI_File) :: file
#else
  integer :: file
#endif
  values = 7
  name = "fortran data"
  call MPI_Init(error)
  call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, error)
  call MPI_File_write_all(file, values, 4, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_close(file, error)
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Pcontrol(1)
  call MPI_Finalize(error)
end program
