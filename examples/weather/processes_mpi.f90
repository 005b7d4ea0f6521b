! processes_mpi.f90 - the processes talk with MPI. Only the master of a team calls it.
submodule(processes) with_mpi
   use mpi_f08
   implicit none

   integer, parameter :: southward = 1, northward = 2   ! tags

contains

   module procedure processes_begin
      integer :: provided

      call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks)
   end procedure processes_begin

   module procedure processes_end
      call MPI_Finalize
   end procedure processes_end

   module procedure from_north
      !$omp master
      call MPI_Sendrecv(field(:, south), nlon, MPI_DOUBLE_PRECISION, southern(), southward, &
                        field(:, north + 1), nlon, MPI_DOUBLE_PRECISION, northern(), southward, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      !$omp end master
      !$omp barrier
   end procedure from_north

   module procedure from_south
      !$omp master
      call MPI_Sendrecv(field(:, north), nlon, MPI_DOUBLE_PRECISION, northern(), northward, &
                        field(:, south - 1), nlon, MPI_DOUBLE_PRECISION, southern(), northward, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      !$omp end master
      !$omp barrier
   end procedure from_south

   integer function southern()
      southern = merge(rank - 1, MPI_PROC_NULL, rank > 0)
   end function southern

   integer function northern()
      northern = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
   end function northern

   module procedure all_rows
      integer :: counts(0:ranks - 1), before(0:ranks - 1), of

      before = [(first_row(of, ranks) - 1, of=0, ranks - 1)]
      counts = [(first_row(of + 1, ranks) - 1 - before(of), of=0, ranks - 1)]
      call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, row_values, counts, before, &
                          MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
   end procedure all_rows

   module procedure over_all_processes
      call MPI_Allreduce(addend, over_all_processes, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
   end procedure over_all_processes

   ! MPI_MAXLOC takes the lower cell where speeds are equal.
   module procedure strongest_of_all
      real(rk) :: mine(2), best(2)

      mine = [speed, real(cell, rk)]
      call MPI_Allreduce(mine, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD)
      speed = best(1)
      cell = nint(best(2))
   end procedure strongest_of_all

   module procedure everywhere
      call MPI_Allreduce(here, everywhere, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
   end procedure everywhere

end submodule with_mpi
