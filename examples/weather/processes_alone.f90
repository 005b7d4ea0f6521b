! processes_alone.f90 - one process has all rows, and nobody to talk to.
submodule(processes) alone
   implicit none

contains

   module procedure processes_begin
   end procedure processes_begin

   module procedure processes_end
   end procedure processes_end

   module procedure from_north
   end procedure from_north

   module procedure from_south
   end procedure from_south

   module procedure all_rows
   end procedure all_rows

   module procedure over_all_processes
      over_all_processes = addend
   end procedure over_all_processes

   module procedure strongest_of_all
   end procedure strongest_of_all

   module procedure everywhere
      everywhere = here
   end procedure everywhere

end submodule alone
