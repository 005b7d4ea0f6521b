! polar_filter.f90 - damps the short zonal waves of the northern rows.
!
! Towards the pole the cells get so narrow that gravity waves cross several of them in one time
! step. The remedy is Arakawa and Lamb's: take the waves that are too short for the step out of the
! row. The nearer the pole, the more waves: a row costs from nothing to nlon/2 waves of nlon points.
!
! This is the load imbalance of this example. With a static schedule the last thread has all of the
! polar rows. The repaired variant deals the rows out one by one.
!
! The routines are called by all threads of a team (orphaned directives).
module polar_filter
   use grid
   implicit none
   private
   public :: filter_static, filter_dynamic

contains

   subroutine filter_static(field)
      real(rk), intent(inout) :: field(nlon, south:north)
      integer :: j

      !$omp do schedule(static)
      do j = south, north
         call filter_row(field(:, j), j)
      end do
      !$omp end do
   end subroutine filter_static

   subroutine filter_dynamic(field)
      real(rk), intent(inout) :: field(nlon, south:north)
      integer :: j

      ! From the pole southwards: the expensive rows first, the cheap ones fill the gaps.
      !$omp do schedule(dynamic)
      do j = north, south, -1
         call filter_row(field(:, j), j)
      end do
      !$omp end do
   end subroutine filter_dynamic

   ! Subtracts from a row the damped part of each wave that is too short for it. A plain Fourier
   ! sum per wave: for the few waves of a row it is simpler than a transform of all of them.
   subroutine filter_row(row, j)
      real(rk), intent(inout) :: row(nlon)
      integer, intent(in) :: j
      real(rk) :: damped(nlon), a, b, share
      integer :: i, m, angle

      if (first_damped(j) > nlon/2) return
      damped = 0.0_rk
      do m = first_damped(j), nlon/2
         a = 0.0_rk
         b = 0.0_rk
         angle = 0
         do i = 1, nlon
            a = a + row(i)*cosine(angle)
            b = b + row(i)*sine(angle)
            angle = angle + m
            if (angle >= nlon) angle = angle - nlon
         end do
         share = (1.0_rk - damping(m, j))*2.0_rk/nlon
         if (2*m == nlon) share = share/2.0_rk
         angle = 0
         do i = 1, nlon
            damped(i) = damped(i) + share*(a*cosine(angle) + b*sine(angle))
            angle = angle + m
            if (angle >= nlon) angle = angle - nlon
         end do
      end do
      row = row - damped
   end subroutine filter_row

end module polar_filter
