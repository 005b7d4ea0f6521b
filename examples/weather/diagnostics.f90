! diagnostics.f90 - budgets, the strongest wind, and the checksum.
!
! Budgets are summed per row and then row by row in order, so that their digits do not depend on the
! number of threads and processes.
module diagnostics
   use, intrinsic :: iso_fortran_env, only: int64
   use grid
   use state
   use processes
   implicit none
   private
   public :: diagnostics_set, find_strongest_wind, print_budgets, checksum, is_valid

   real(rk), allocatable :: row_mass(:), row_water(:), row_energy(:), row_rain(:)
   real(rk) :: first_mass = 0, first_water = 0, first_energy = 0
   real(rk) :: strongest = 0
   integer :: strongest_cell = 0

contains

   subroutine diagnostics_set
      allocate (row_mass(nlat), row_water(nlat), row_energy(nlat), row_rain(nlat))
      call sum_rows
      first_mass = sum(row_mass)
      first_water = sum(row_water)
      first_energy = sum(row_energy)
   end subroutine diagnostics_set

   ! Area weighted sums per row: height, all water (in the air and fallen, less what the ground
   ! gave), kinetic and potential energy. Serial: it is called by the masters only.
   subroutine sum_rows
      integer :: j

      do j = south, north
         row_mass(j) = cos_mid(j)*sum(height(:, j))
         row_water(j) = cos_mid(j)*sum(moisture(:, j) + rain(:, j) - evaporated(:, j))
         row_energy(j) = cos_mid(j)*sum(mean_depth_m*(u(:, j)**2 + v(:, j)**2) &
                                        + gravity_m_s2*height(:, j)**2)/2.0_rk
         row_rain(j) = sum(rain(:, j))
      end do
      call all_rows(row_mass)
      call all_rows(row_water)
      call all_rows(row_energy)
      call all_rows(row_rain)
   end subroutine sum_rows

   ! Called by all threads: each searches its rows, then they compare what they have found. Of
   ! equal winds the cell with the lower number is taken, whoever comes first.
   subroutine find_strongest_wind
      integer :: i, j, my_cell
      real(rk) :: speed, my_speed

      !$omp single
      strongest = -1.0_rk
      strongest_cell = 0
      !$omp end single
      my_speed = -1.0_rk
      my_cell = 0
      !$omp do schedule(static)
      do j = south, north
         do i = 1, nlon
            speed = u(i, j)**2 + v(i, j)**2
            if (speed > my_speed) then
               my_speed = speed
               my_cell = i + (j - 1)*nlon
            end if
         end do
      end do
      !$omp end do nowait
      !$omp critical (strongest_wind)
      if (my_speed > strongest .or. (my_speed >= strongest .and. my_cell < strongest_cell)) then
         strongest = my_speed
         strongest_cell = my_cell
      end if
      !$omp end critical (strongest_wind)
      !$omp barrier
      !$omp master
      call strongest_of_all(strongest, strongest_cell)
      !$omp end master
   end subroutine find_strongest_wind

   subroutine print_budgets(step)
      integer, intent(in) :: step

      call sum_rows
      if (rank /= 0) return
      print '(a,i6,a,es10.3,a,es10.3,a,f7.3,a,i0,a,i0)', 'step', step, &
         '  energy', sum(row_energy)/(nlon*nlat), '  rain', sum(row_rain)/(nlon*nlat), &
         '  wind', sqrt(strongest), ' at ', 1 + mod(strongest_cell - 1, nlon), ',', &
         1 + (strongest_cell - 1)/nlon
   end subroutine print_budgets

   ! All fields, rounded to six decimals and summed as integers with a weight per cell.
   integer(int64) function checksum()
      integer :: i, j
      integer(int64) :: weight

      checksum = 0
      !$omp parallel do private(weight) reduction(+:checksum)
      do j = south, north
         do i = 1, nlon
            weight = 1 + mod(i + 7*j, 101)
            checksum = checksum + weight*(nint(1.0e6_rk*height(i, j), int64) &
                                          + 3*nint(1.0e6_rk*u(i, j), int64) &
                                          + 5*nint(1.0e6_rk*v(i, j), int64) &
                                          + 7*nint(1.0e6_rk*moisture(i, j), int64))
         end do
      end do
      !$omp end parallel do
      checksum = over_all_processes(checksum)
   end function checksum

   ! Mass and water are conserved by construction, energy only falls: friction and the filter take
   ! it, and nothing drives the wind.
   logical function is_valid()
      real(rk) :: whole_mass
      logical :: is_wet

      call sum_rows
      is_wet = everywhere(minval(moisture(:, south:north)) >= 0.0_rk)
      whole_mass = mean_depth_m*nlon*sum(cos_mid)
      is_valid = abs(sum(row_mass) - first_mass) <= 1.0e-9_rk*whole_mass &
                 .and. abs(sum(row_water) - first_water) <= 1.0e-9_rk*first_water &
                 .and. sum(row_energy) > 0.0_rk .and. sum(row_energy) <= 1.01_rk*first_energy &
                 .and. is_wet
   end function is_valid

end module diagnostics
