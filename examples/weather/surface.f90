! surface.f90 - what the ground and the sun do to each row: three profiles, renewed every few steps.
!
! The profiles do not depend on each other, so they are computed by three sections. One of them,
! the sunshine, costs more than the two others together: with sections, threads can share no more
! than this one.
module surface
   use grid
   use state
   implicit none
   private
   public :: surface_set, read_calendar, renew_profiles, evaporate

   integer, parameter :: hour_angles = 48
   integer, public :: day = 0
   real(rk), allocatable, public :: friction(:)      ! 1/s
   real(rk), allocatable, public :: saturation(:)    ! water that the air can hold, kg/m2
   real(rk), allocatable :: sunshine(:, :)           ! relative to the zenith, per hour and row
   real(rk) :: declination = 0

contains

   subroutine surface_set
      allocate (friction(nlat), saturation(nlat), sunshine(hour_angles, south:north))
   end subroutine surface_set

   ! One thread moves the calendar on; the others wait in the barrier of the single construct.
   subroutine read_calendar
      !$omp single
      day = day + 1
      declination = 0.409_rk*sin(2.0_rk*pi*day/365.0_rk)
      !$omp end single
   end subroutine read_calendar

   subroutine renew_profiles
      !$omp sections
      !$omp section
      call set_sunshine
      !$omp section
      call set_friction
      !$omp section
      call set_saturation
      !$omp end sections
   end subroutine renew_profiles

   ! Mean over the finite disc of the sun, hour by hour.
   subroutine set_sunshine
      integer, parameter :: disc_points = 100
      integer :: hour, j, point
      real(rk) :: angle, sum_over_disc

      do j = south, north
         do hour = 1, hour_angles
            sum_over_disc = 0.0_rk
            do point = 1, disc_points
               angle = 2.0_rk*pi*(hour + 0.04_rk*real(point, rk)/disc_points)/hour_angles
               sum_over_disc = sum_over_disc &
                               + max(0.0_rk, sin(latitude(j))*sin(declination) &
                                     + cos_mid(j)*cos(declination)*cos(angle))
            end do
            sunshine(hour, j) = sum_over_disc/disc_points
         end do
      end do
   end subroutine set_sunshine

   ! Rough continents in the middle latitudes.
   subroutine set_friction
      friction = 1.0e-6_rk*(1.0_rk + 4.0_rk*exp(-((latitude - pi/4.0_rk)/0.3_rk)**2))
   end subroutine set_friction

   subroutine set_saturation
      saturation = 50.0_rk*exp(-2.5_rk*(latitude - 0.3_rk*declination)**2) + 2.0_rk
   end subroutine set_saturation

   ! Water from the ground, in the daytime and as long as the air is dry.
   subroutine evaporate(step)
      integer, intent(in) :: step
      integer :: i, j, hour
      real(rk) :: amount

      !$omp do schedule(static)
      do j = south, north
         do i = 1, nlon
            hour = 1 + mod(step + (i*hour_angles)/nlon, hour_angles)
            amount = 1.0e-4_rk*dt_s*sunshine(hour, j) &
                     *max(0.0_rk, 1.0_rk - moisture(i, j)/saturation(j))
            moisture(i, j) = moisture(i, j) + amount
            evaporated(i, j) = evaporated(i, j) + amount
         end do
      end do
      !$omp end do
   end subroutine evaporate

end module surface
