! state.f90 - the fields of the model and their values at the start: the rows of this process, and,
! where neighbours' rows are needed, one more on each side.
module state
   use grid
   implicit none
   private
   public :: state_set

   real(rk), allocatable, public :: height(:, :)         ! of the surface above the mean, m
   real(rk), allocatable, public :: u(:, :), v(:, :)     ! wind to the east, to the north, m/s
   real(rk), allocatable, public :: moisture(:, :)       ! water in the air, kg/m2
   real(rk), allocatable, public :: new_moisture(:, :)
   real(rk), allocatable, public :: rain(:, :)           ! fallen since the start, kg/m2
   real(rk), allocatable, public :: evaporated(:, :)     ! since the start, kg/m2

contains

   ! A jet in the middle latitudes with three unequal highs and lows along it; moist tropics.
   subroutine state_set
      integer :: i, j
      real(rk) :: longitude, jet

      allocate (height(nlon, south - 1:north + 1), u(nlon, south - 1:north + 1))
      allocate (v(nlon, south - 1:north + 1), moisture(nlon, south - 1:north + 1))
      allocate (new_moisture(nlon, south:north))
      allocate (rain(nlon, south:north), evaporated(nlon, south:north))

      !$omp parallel workshare
      v = 0.0_rk
      rain = 0.0_rk
      evaporated = 0.0_rk
      !$omp end parallel workshare

      !$omp parallel do private(longitude, jet)
      do j = south, north
         jet = exp(-((latitude(j) - pi/4.0_rk)/0.2_rk)**2)
         do i = 1, nlon
            longitude = (i - 1)*dlon
            u(i, j) = 15.0_rk*jet
            height(i, j) = jet*(40.0_rk*sin(3.0_rk*longitude) + 15.0_rk*cos(longitude + 0.4_rk)) &
                           - 60.0_rk*latitude(j)
            moisture(i, j) = 45.0_rk*cos_mid(j)**2*(1.0_rk + 0.2_rk*cos(2.0_rk*longitude))
         end do
      end do
      !$omp end parallel do
   end subroutine state_set

end module state
