! processes.f90 - what processes tell each other: the rows of the hemisphere are divided among them.
!
! A process has the rows south to north, and beside them copies of its neighbours' nearest rows. How
! they talk is in a submodule: processes_alone.f90 where there is but one, or processes_mpi.f90.
module processes
   use, intrinsic :: iso_fortran_env, only: int64
   use grid
   implicit none
   private
   public :: processes_begin, processes_end, from_north, from_south, all_rows
   public :: over_all_processes, strongest_of_all, everywhere

   integer, protected, public :: rank = 0, ranks = 1

   interface
      module subroutine processes_begin
      end subroutine processes_begin

      module subroutine processes_end
      end subroutine processes_end

      ! The row beyond the last one, from the process that has it. Called by all threads.
      module subroutine from_north(field)
         real(rk), intent(inout) :: field(nlon, south - 1:north + 1)
      end subroutine from_north

      ! The row before the first one. Called by all threads.
      module subroutine from_south(field)
         real(rk), intent(inout) :: field(nlon, south - 1:north + 1)
      end subroutine from_south

      ! A value for each row of the hemisphere, of which each process has its own.
      module subroutine all_rows(row_values)
         real(rk), intent(inout) :: row_values(nlat)
      end subroutine all_rows

      module integer(int64) function over_all_processes(addend)
         integer(int64), intent(in) :: addend
      end function over_all_processes

      ! Of equal speeds the one of the lower cell.
      module subroutine strongest_of_all(speed, cell)
         real(rk), intent(inout) :: speed
         integer, intent(inout) :: cell
      end subroutine strongest_of_all

      module logical function everywhere(here)
         logical, intent(in) :: here
      end function everywhere
   end interface

end module processes
