! Two columns are sent number by number, one three times as long as the other. The receiver seems to
! wait all the time; it only waits for the sender to get through its messages.
! cause: message_per_element
! advice: messages -> -DELEMENTS={value}
! body: computes
! ranks: 2
! vary: ROUNDS=100..110 LENGTH=6000..6600
#ifndef ELEMENTS
#ifdef REPAIRED
#define ELEMENTS 3*LENGTH
#else
#define ELEMENTS 1
#endif
#endif
program decoy
  use mpi
  implicit none
  integer :: ierr, round, me, from, least
  real(8) :: column(3 * LENGTH), started, seconds, longest
  column = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  started = MPI_Wtime()
  do round = 1, ROUNDS
     do from = 1, 3 * LENGTH, ELEMENTS
        least = min(ELEMENTS, 3 * LENGTH - from + 1)
        if (me == 0) then
           call MPI_Send(column(from), least, MPI_DOUBLE_PRECISION, 1, 0, & ! <-- cause
                MPI_COMM_WORLD, ierr)
        else
           call MPI_Recv(column(from), least, MPI_DOUBLE_PRECISION, 0, 0, &
                MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        end if
     end do
     do from = 1, LENGTH
        if (me == 0) then ! the smaller cause
           call MPI_Send(column(from), 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr)
        else
           call MPI_Recv(column(from), 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, &
                MPI_STATUS_IGNORE, ierr)
        end if
     end do
     call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  seconds = MPI_Wtime() - started
  call MPI_Reduce(seconds, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) print '(a, f9.6)', 'seconds: ', longest
  call MPI_Finalize(ierr)
end program decoy
