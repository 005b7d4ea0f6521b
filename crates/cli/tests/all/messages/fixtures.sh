# What the command lines of the catalogue find in their folder.
set -e
printf '#include <stdio.h>\nint main(void) {\n  int sum = 0;\n#pragma omp parallel for reduction(+:sum)\n  for (int i = 0; i < 100; i++) sum += i;\n  return sum != 4950;\n}\n' > a.c
printf 'int main(void) {\n#pragma omp parallel for schedule(static\n  for (int i = 0; i < 9; i++);\n}\n' > wrong.c
printf '#include "nosuch.h"\n#pragma omp barrier\nint main(void) { return 0; }\n' > include.c
printf 'SCOREP_REGION_NAMES\n' > wrong.filter
printf '#include <stdio.h>\n#define LOOP _Pragma("omp parallel for")\nint main(void) {\n  LOOP\n  for (int i = 0; i < 9; i++);\n}\n' > hidden.c
echo text > a.txt
mkdir locked
echo 'no report' > broken.cubex
pompeii compile -q -- gcc -fopenmp a.c -o a
printf 'int main(void) { return 0; }\n' | gcc -x c - -o plain
printf '#include <unistd.h>\nint main(void) {\n#pragma omp parallel\n  ;\n  sleep(20);\n}\n' > slow.c
pompeii compile -q -- gcc -fopenmp slow.c -o slow
pompeii run -q --trace -o exp -- ./a
cp exp/profile.cubex after.cubex
POMPEII_EXPERIMENT=left ./a 2> /dev/null
