! grid.f90 - the hemisphere as a longitude-latitude grid, and everything that depends on it only.
!
! Cells are nlon x nlat, row 1 next to the equator, row nlat next to the pole (85 degrees north).
! The heights and the moisture live in the middle of a cell, u on its eastern, v on its northern
! edge (Arakawa's C grid).
module grid
   implicit none
   private
   public :: rk, grid_set, first_row

   integer, parameter :: rk = selected_real_kind(15)

   real(rk), parameter, public :: pi = 3.14159265358979323846_rk
   real(rk), parameter, public :: earth_radius_m = 6.371e6_rk
   real(rk), parameter, public :: gravity_m_s2 = 9.81_rk
   real(rk), parameter, public :: mean_depth_m = 1000.0_rk
   real(rk), parameter :: rotation_per_s = 7.292e-5_rk
   real(rk), parameter :: northern_edge = 85.0_rk/180.0_rk*pi

   ! Rows north of this latitude have cells so narrow that short waves must be filtered out.
   real(rk), parameter :: filter_latitude = 45.0_rk/180.0_rk*pi

   integer, public :: nlon = 0, nlat = 0
   integer, public :: south = 0, north = 0   ! first and last row of this process
   real(rk), public :: dlon = 0, dlat = 0, dt_s = 0
   real(rk), allocatable, public :: latitude(:), cos_mid(:), cos_edge(:), coriolis(:)

   ! Per row: the first zonal wave number that is damped (nlon/2 + 1: none), and by how much.
   integer, allocatable, public :: first_damped(:)
   real(rk), allocatable, public :: damping(:, :)
   real(rk), allocatable, public :: cosine(:), sine(:)

contains

   subroutine grid_set(columns, rows, rank, ranks)
      integer, intent(in) :: columns, rows, rank, ranks
      integer :: j
      real(rk) :: wave_speed

      nlon = columns
      nlat = rows
      south = first_row(rank, ranks)
      north = first_row(rank + 1, ranks) - 1
      dlon = 2.0_rk*pi/nlon
      dlat = northern_edge/nlat
      allocate (latitude(nlat), cos_mid(nlat), cos_edge(0:nlat), coriolis(nlat))
      do j = 1, nlat
         latitude(j) = (j - 0.5_rk)*dlat
         cos_mid(j) = cos(latitude(j))
         coriolis(j) = 2.0_rk*rotation_per_s*sin(latitude(j))
      end do
      cos_edge = [(cos(j*dlat), j=0, nlat)]

      ! The step that gravity waves allow at the latitude where filtering begins.
      wave_speed = sqrt(gravity_m_s2*mean_depth_m)
      dt_s = 0.4_rk*earth_radius_m*min(dlat, dlon*cos(filter_latitude))/wave_speed
      call set_filter
   end subroutine grid_set

   ! First row of a process, counted from 0; all have as many, give or take one.
   integer function first_row(rank, ranks)
      integer, intent(in) :: rank, ranks

      first_row = 1 + rank*nlat/ranks
   end function first_row

   ! Arakawa and Lamb's polar filter: wave m of a row is multiplied by the ratio of the row's
   ! length to that of the row at the filter latitude, divided by sin(m*dlon/2), if below one.
   subroutine set_filter
      integer :: j, m, i
      real(rk) :: ratio

      allocate (first_damped(nlat), damping(nlon/2, nlat), cosine(0:nlon - 1), sine(0:nlon - 1))
      cosine = [(cos(i*dlon), i=0, nlon - 1)]
      sine = [(sin(i*dlon), i=0, nlon - 1)]
      do j = 1, nlat
         first_damped(j) = nlon/2 + 1
         do m = nlon/2, 1, -1
            ratio = cos_mid(j)/(cos(filter_latitude)*sin(m*dlon/2.0_rk))
            damping(m, j) = min(1.0_rk, ratio)
            if (ratio < 1.0_rk) first_damped(j) = m
         end do
      end do
   end subroutine set_filter

end module grid
