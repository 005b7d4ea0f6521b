! weather.f90 - shallow-water weather of the northern hemisphere, with moisture and rain. The rows
! are divided among the processes, if there are several, and within a process among the threads.
!
! One parallel region surrounds the time loop; the routines of the modules share their loops among
! the team (orphaned directives). The load imbalance is in polar_filter.f90.
!
! usage: weather [--balanced] [NLON NLAT STEPS]        default 240 64 250
program weather
   use, intrinsic :: iso_fortran_env, only: error_unit, int64
   use grid
   use processes
   use state
   use surface
   use dynamics
   use polar_filter
   use diagnostics
   implicit none

   integer, parameter :: reports = 5, steps_per_day = 10
   integer :: columns, rows, steps, step, rainy_cells
   logical :: balanced
   external :: convec

   call processes_begin
   call read_arguments
   call grid_set(columns, rows, rank, ranks)
   call state_set
   call surface_set
   call diagnostics_set

   rainy_cells = 0
   !$omp parallel default(shared) private(step)
   do step = 1, steps
      if (mod(step, steps_per_day) == 1) then
         call read_calendar
         call renew_profiles
      end if
      call move_height
      call filter(height(:, south:north))
      call move_wind
      call filter(u(:, south:north))
      call filter(v(:, south:north))
      call move_moisture
      call evaporate(step)
      call convec(nlon, north - south + 1, moisture(:, south:north), saturation(south:north), &
                  rain, rainy_cells)
      if (mod(step, steps/reports) == 0) then
         call find_strongest_wind
         !$omp master
         call print_budgets(step)
         !$omp end master
         !$omp barrier
      end if
   end do
   !$omp end parallel

   call finish

contains

   subroutine filter(field)
      real(rk), intent(inout) :: field(nlon, south:north)

      if (balanced) then
         call filter_dynamic(field)
      else
         call filter_static(field)
      end if
   end subroutine filter

   subroutine read_arguments
      character(len=99) :: sizes
      integer :: first, status

      balanced = argument(1) == '--balanced'
      first = merge(2, 1, balanced)
      columns = 240
      rows = 64
      steps = 250
      if (command_argument_count() >= first) then
         sizes = argument(first)//argument(first + 1)//argument(first + 2)
         read (sizes, *, iostat=status) columns, rows, steps
         if (status /= 0) call usage
      end if
      if (columns < 8 .or. rows < 4 .or. steps < reports .or. mod(columns, 2) /= 0 &
          .or. rows < ranks) call usage
   end subroutine read_arguments

   ! Blank padded, so that arguments in a row can be read as a list.
   function argument(number) result(text)
      integer, intent(in) :: number
      character(len=32) :: text

      text = ''
      if (number <= command_argument_count()) call get_command_argument(number, text)
   end function argument

   subroutine usage
      if (rank == 0) then
         write (error_unit, '(a)') 'usage: weather [--balanced] [NLON NLAT STEPS]', &
            '       NLON even and at least 8, NLAT at least 4 and one per process, STEPS at least 5'
      end if
      call processes_end
      stop 2
   end subroutine usage

   subroutine finish
      logical :: valid
      integer(int64) :: sum_of_cells, wet_cells

      valid = is_valid()
      sum_of_cells = checksum()
      wet_cells = over_all_processes(int(rainy_cells, int64))
      if (rank == 0) then
         print '(4(a,i0),a,z16.16,2a)', 'weather: ', nlon, ' x ', nlat, ' cells, ', steps, &
            ' steps, rain in ', wet_cells, ' cells, checksum ', sum_of_cells, ', ', &
            trim(merge('valid  ', 'INVALID', valid))
      end if
      call processes_end
      if (.not. valid) stop 1
   end subroutine finish

end program weather
