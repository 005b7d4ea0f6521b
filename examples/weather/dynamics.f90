! dynamics.f90 - the shallow-water equations: one step of height, wind and moisture.
!
! Forward-backward: the heights are moved with the old wind, then the wind with the new heights.
! All routines are called by all threads of a team; each ends with the barrier of its last loop.
module dynamics
   use grid
   use state
   use processes
   use surface, only: friction
   implicit none
   private
   public :: move_height, move_wind, move_moisture

contains

   ! Continuity. Fluxes through the edges, so that the mass is kept to rounding.
   subroutine move_height
      integer :: i, j, west
      real(rk) :: divergence

      !$omp do schedule(static)
      do j = south, north
         do i = 1, nlon
            west = merge(i - 1, nlon, i > 1)
            divergence = (u(i, j) - u(west, j))/dlon &
                         + (v(i, j)*cos_edge(j) - v(i, j - 1)*cos_edge(j - 1))/dlat
            height(i, j) = height(i, j) &
                           - dt_s*mean_depth_m*divergence/(earth_radius_m*cos_mid(j))
         end do
      end do
      !$omp end do
   end subroutine move_height

   ! Pressure gradient, Coriolis force, friction. u first: v then uses the new u, which keeps the
   ! inertial oscillation stable. The first loop's barrier separates the two.
   subroutine move_wind
      integer :: i, j, west, east
      real(rk) :: v_here, u_here, slope

      call from_north(height)
      !$omp do schedule(static)
      do j = south, north
         do i = 1, nlon
            east = merge(i + 1, 1, i < nlon)
            v_here = 0.25_rk*(v(i, j) + v(east, j) + v(i, j - 1) + v(east, j - 1))
            slope = (height(east, j) - height(i, j))/(dlon*earth_radius_m*cos_mid(j))
            u(i, j) = (u(i, j) + dt_s*(coriolis(j)*v_here - gravity_m_s2*slope)) &
                      /(1.0_rk + dt_s*friction(j))
         end do
      end do
      !$omp end do

      call from_north(u)
      ! v is zero on the equator and on the northern wall.
      !$omp do schedule(static)
      do j = south, min(north, nlat - 1)
         do i = 1, nlon
            west = merge(i - 1, nlon, i > 1)
            u_here = 0.25_rk*(u(i, j) + u(west, j) + u(i, j + 1) + u(west, j + 1))
            slope = (height(i, j + 1) - height(i, j))/(dlat*earth_radius_m)
            v(i, j) = (v(i, j) - dt_s*(0.5_rk*(coriolis(j) + coriolis(j + 1))*u_here &
                                       + gravity_m_s2*slope))/(1.0_rk + dt_s*friction(j))
         end do
      end do
      !$omp end do
   end subroutine move_wind

   ! Upwind transport; what leaves one cell enters the next.
   subroutine move_moisture
      integer :: i, j, west
      real(rk) :: outflow

      call from_south(v)
      call from_south(moisture)
      call from_north(moisture)
      !$omp do schedule(static)
      do j = south, north
         do i = 1, nlon
            west = merge(i - 1, nlon, i > 1)
            outflow = (flux_east(i, j) - flux_east(west, j))/dlon &
                      + (flux_north(i, j) - flux_north(i, j - 1))/dlat
            new_moisture(i, j) = moisture(i, j) - dt_s*outflow/(earth_radius_m*cos_mid(j))
         end do
      end do
      !$omp end do

      !$omp workshare
      moisture(:, south:north) = new_moisture
      !$omp end workshare
   end subroutine move_moisture

   ! The wind is capped where the cells are narrow: the transport has no polar filter.
   pure real(rk) function flux_east(i, j)
      integer, intent(in) :: i, j
      integer :: east
      real(rk) :: limit, wind

      east = merge(i + 1, 1, i < nlon)
      limit = 0.4_rk*dlon*earth_radius_m*cos_mid(j)/dt_s
      wind = max(-limit, min(limit, u(i, j)))
      flux_east = wind*merge(moisture(i, j), moisture(east, j), wind > 0.0_rk)
   end function flux_east

   pure real(rk) function flux_north(i, j)
      integer, intent(in) :: i, j

      flux_north = 0.0_rk
      if (j == 0 .or. j == nlat) return
      flux_north = v(i, j)*cos_edge(j)*merge(moisture(i, j), moisture(i, j + 1), v(i, j) > 0.0_rk)
   end function flux_north

end module dynamics
