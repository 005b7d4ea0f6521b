/* ocean.c - wind-driven circulation of a rectangular ocean (Stommel's model), C99, OpenMP, MPI.
 *
 * Stommel (1948) balances the curl of the wind stress, friction at the bottom and the change of
 * the Coriolis force with latitude. For the stream function psi, x to the east, y to the north:
 *
 *     gamma * (psi_xx + psi_yy) + beta * psi_x - drag(psi) * psi = wind(x, y)
 *     psi = 0 on the coast
 *
 * gamma: linear friction, beta: the Coriolis gradient, drag: additional friction over the shallow
 * shelf at the western coast, where the strong boundary current flows. Centred differences give a
 * 5-point stencil, solved here by Jacobi iteration.
 *
 * Grid rows run from south to north; row i lies at the distance i * dx from the western coast.
 * Rows are divided among the MPI ranks (-DUSE_MPI) and within a rank among the threads.
 *
 * The performance problems, each of a kind that real programs have (see README.md):
 *   shelf_drag        the drag law is solved iteratively, only in shelf cells: the first rows cost
 *                     far more than the rest, and schedule(static) gives all of them to thread 0
 *   read_forcing, write_state   run on one thread
 *   kinetic_energy    does its work inside a critical construct
 * `--balanced` repairs all of them but write_state. What is printed depends neither on the variant
 * nor on the number of threads or ranks.
 *
 * usage: ocean [--balanced] [--output FILE] [CELLS [ITERATIONS]]      default 256 1000
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef USE_MPI
#include <mpi.h>
#endif

static const double pi = 3.14159265358979323846;
static const double basin_m = 2.0e6;        /* length of each side */
static const double gamma_per_s = 3.0e-6;   /* linear friction at the bottom */
static const double beta_per_m_s = 2.25e-11;
static const double wind_per_s2 = 1.0e-9;   /* amplitude of the forcing */
static const double shelf_fraction = 0.25;  /* width of the shelf relative to the basin */
static const double shelf_depth_min = 0.02; /* at the coast, relative to the open ocean */
static const double drag_max_per_m2_s = 4.8e-15;

enum {
    CELLS_MIN = 48,            /* coarser grids make the lagged drag term unstable */
    DRAG_STEPS_MAX = 500,      /* fixed-point steps per cell */
    DRAG_STEPS_TURBULENT = 16, /* cells that need more are counted */
    ENERGY_INTERVAL = 2,       /* iterations between two energy sums */
    REPORTS = 5,               /* progress lines and states written per run */
    PENTADS = 73               /* the forcing is the mean over the five-day means of a year */
};

typedef struct {
    int cells, iterations;
    bool balanced;
    const char *output; /* file for the states, or NULL */
} Options;

/* The rows of this rank. Arrays have (rows + 2) x ld elements: row 0 and row rows + 1 are halo or
 * coast, and so are the columns 0 and cells + 1. */
typedef struct {
    int cells;       /* of the whole basin, in each direction */
    int ld;          /* row length of the arrays, cells + 2 */
    int first, rows; /* rows first + 1 .. first + rows of the basin are local rows 1 .. rows */
    double dx, dy;
    double a1, a2, a3, a4, a5; /* stencil: west-east, south-north neighbours, right-hand side */
    double *psi, *new_psi, *the_for, *wind;
    double *depth;   /* per row, relative to the open ocean */
} Basin;

/* Quantities over the whole basin. The sums are integers, so that no order of summation shows. */
typedef struct {
    double diff;             /* sum of |change of psi| in the last iteration */
    int64_t energy;          /* kinetic energy: sum of squared relative speeds, x 1e6 */
    int64_t turbulent_cells; /* drag solutions that needed more than DRAG_STEPS_TURBULENT steps */
    uint64_t state_hash;     /* of the text of all states written; rank 0 only */
} Results;

/* ---------------------------------------------------------------- processes */

static int mpi_rank = 0, mpi_ranks = 1;

static void processes_begin(int *argc, char ***argv)
{
#ifdef USE_MPI
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi_ranks);
#else
    (void)argc;
    (void)argv;
#endif
}

static void processes_end(void)
{
#ifdef USE_MPI
    MPI_Finalize();
#endif
}

static void fail(const char *message)
{
    if (mpi_rank == 0)
        fprintf(stderr, "ocean: %s\n", message);
#ifdef USE_MPI
    MPI_Abort(MPI_COMM_WORLD, 2);
#endif
    exit(2);
}

/* Sends the first and last row to the neighbours and receives theirs into the halo. */
static void exchange_halo(Basin *b)
{
#ifdef USE_MPI
    const int west = mpi_rank > 0 ? mpi_rank - 1 : MPI_PROC_NULL;
    const int east = mpi_rank < mpi_ranks - 1 ? mpi_rank + 1 : MPI_PROC_NULL;
    const size_t ld = (size_t)b->ld, rows = (size_t)b->rows;

    MPI_Sendrecv(b->psi + ld, b->ld, MPI_DOUBLE, west, 0, b->psi + (rows + 1) * ld, b->ld,
                 MPI_DOUBLE, east, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(b->psi + rows * ld, b->ld, MPI_DOUBLE, east, 1, b->psi, b->ld, MPI_DOUBLE, west,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    (void)b;
#endif
}

static double sum_over_ranks(double value)
{
#ifdef USE_MPI
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
    return value;
}

static int64_t count_over_ranks(int64_t value)
{
#ifdef USE_MPI
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
#endif
    return value;
}

/* First row, counted from 0, of a rank. */
static int rank_begin(int cells, int rank)
{
    return (int)((int64_t)cells * rank / mpi_ranks);
}

/* ---------------------------------------------------------------- set-up */

static double *new_array(size_t elements)
{
    double *array = calloc(elements, sizeof *array);
    if (array == NULL)
        fail("out of memory");
    return array;
}

/* Depth of a row relative to the open ocean: a shelf that slopes down from the western coast. */
static double depth_of_row(int row, int cells)
{
    const double x = (double)row / (cells + 1);
    if (x >= shelf_fraction)
        return 1.0;
    return shelf_depth_min + (1.0 - shelf_depth_min) * (x / shelf_fraction);
}

static Basin basin_new(int cells)
{
    Basin b = {.cells = cells, .ld = cells + 2};
    b.first = rank_begin(cells, mpi_rank);
    b.rows = rank_begin(cells, mpi_rank + 1) - b.first;
    b.dx = b.dy = basin_m / (cells + 1);

    const double along_x = gamma_per_s / (b.dx * b.dx), along_y = gamma_per_s / (b.dy * b.dy);
    const double advection = beta_per_m_s / (2.0 * b.dx);
    const double diagonal = 2.0 * (along_x + along_y);
    b.a1 = (along_x + advection) / diagonal;
    b.a2 = (along_x - advection) / diagonal;
    b.a3 = b.a4 = along_y / diagonal;
    b.a5 = 1.0 / diagonal;

    const size_t elements = (size_t)(b.rows + 2) * (size_t)b.ld;
    b.psi = new_array(elements);
    b.new_psi = new_array(elements);
    b.the_for = new_array(elements);
    b.wind = new_array(elements);
    b.depth = new_array((size_t)b.rows + 2);
    for (int i = 0; i <= b.rows + 1; i++)
        b.depth[i] = depth_of_row(b.first + i, cells);
    return b;
}

static void basin_free(Basin *b)
{
    free(b->psi);
    free(b->new_psi);
    free(b->the_for);
    free(b->wind);
    free(b->depth);
}

/* Mean forcing of one row over the year: the westerlies move north and south with the season, and
 * travelling disturbances disturb them. Stands for decoding a forcing file. */
static void forcing_row(int row, int cells, double *wind)
{
    const double x = (double)row / (cells + 1);
    for (int j = 1; j <= cells; j++) {
        const double y = (double)j / (cells + 1);
        double sum = 0.0;
        for (int pentad = 0; pentad < PENTADS; pentad++) {
            const double season = 2.0 * pi * pentad / PENTADS;
            sum += sin(pi * (y + 0.05 * season / pi * (1.0 - y) * y)) *
                   (1.0 + 0.1 * cos(2.0 * pi * x - 4.0 * season));
        }
        wind[j] = -wind_per_s2 * sum / PENTADS;
    }
}

/* The forcing of this rank's rows. Rank 0 reads everything and hands out the parts; its other
 * threads and the other ranks have nothing to do meanwhile. */
static void read_forcing(Basin *b, bool balanced)
{
    const int cells = b->cells, ld = b->ld;
    if (balanced) { /* repaired: each thread and rank reads its own rows */
#pragma omp parallel for schedule(static)
        for (int i = 1; i <= b->rows; i++)
            forcing_row(b->first + i, cells, b->wind + (size_t)i * (size_t)ld);
        return;
    }
    if (mpi_rank == 0) {
        double *all = new_array((size_t)(cells + 2) * (size_t)ld);
        for (int i = 1; i <= cells; i++)
            forcing_row(i, cells, all + (size_t)i * (size_t)ld);
        memcpy(b->wind + ld, all + ld, (size_t)b->rows * (size_t)ld * sizeof *all);
#ifdef USE_MPI
        for (int rank = 1; rank < mpi_ranks; rank++) {
            const int first = rank_begin(cells, rank), end = rank_begin(cells, rank + 1);
            MPI_Send(all + (size_t)(first + 1) * (size_t)ld, (end - first) * ld, MPI_DOUBLE, rank,
                     2, MPI_COMM_WORLD);
        }
#endif
        free(all);
    } else {
#ifdef USE_MPI
        MPI_Recv(b->wind + ld, b->rows * ld, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    }
}

/* ---------------------------------------------------------------- the iteration */

/* Speed of the current in a cell, relative to the interior flow that the wind alone would drive. */
static double current_speed(const Basin *b, int i, int j)
{
    const size_t ld = (size_t)b->ld;
    const double *cell = b->psi + (size_t)i * ld + j;
    const double u = (cell[-1] - cell[1]) / (2.0 * b->dy);
    const double v = (cell[ld] - *(cell - ld)) / (2.0 * b->dx);
    return sqrt(u * u + v * v) * (beta_per_m_s / wind_per_s2);
}

/* Solves speed = free_speed / (1 + speed / depth), the slowing of a current by its own turbulence,
 * by fixed-point steps. The shallower the water, the slower it converges. Returns the steps. */
static int slowed_speed(double free_speed, double depth, double *speed)
{
    double s = 0.0;
    int steps = 0;
    while (steps < DRAG_STEPS_MAX) {
        const double next = free_speed / (1.0 + s / depth);
        const double change = fabs(next - s);
        s = next;
        steps++;
        if (change <= 1e-6 * s)
            break;
    }
    *speed = s;
    return steps;
}

/* Right-hand side of one row: the wind and, on the shelf, the drag. Adds to the count of turbulent
 * cells, which all threads share. */
static void shelf_drag_row(Basin *b, int i, int64_t *turbulent_cells)
{
    const size_t row = (size_t)i * (size_t)b->ld;
    for (int j = 1; j <= b->cells; j++) {
        double drag = 0.0;
        if (b->depth[i] < 1.0) {
            double speed;
            const int steps = slowed_speed(current_speed(b, i, j), b->depth[i], &speed);
            drag = drag_max_per_m2_s * speed / (speed + b->depth[i]);
            if (steps > DRAG_STEPS_TURBULENT) {
#pragma omp atomic
                *turbulent_cells += 1;
            }
        }
        b->the_for[row + j] = b->wind[row + j] + drag * b->psi[row + j];
    }
}

/* The load imbalance: equal numbers of rows, but only the shelf's rows are expensive. */
static void shelf_drag(Basin *b, int64_t *turbulent_cells)
{
#pragma omp parallel for schedule(static)
    for (int i = 1; i <= b->rows; i++)
        shelf_drag_row(b, i, turbulent_cells);
}

/* Repaired: rows are handed out as threads become free. */
static void shelf_drag_balanced(Basin *b, int64_t *turbulent_cells)
{
#pragma omp parallel for schedule(dynamic, 2)
    for (int i = 1; i <= b->rows; i++)
        shelf_drag_row(b, i, turbulent_cells);
}

/* One Jacobi step; returns the sum of the changes. The loop nest is the one that the POMP paper
 * shows as its example from the original Stommel code. */
static double relax(Basin *b)
{
    const int i1 = 1, i2 = b->rows, j1 = 1, j2 = b->cells;
    const double a1 = b->a1, a2 = b->a2, a3 = b->a3, a4 = b->a4, a5 = b->a5;
    double(*psi)[b->ld] = (double(*)[b->ld])b->psi;
    double(*new_psi)[b->ld] = (double(*)[b->ld])b->new_psi;
    double(*the_for)[b->ld] = (double(*)[b->ld])b->the_for;
    double diff = 0.0;
    int i, j;

#pragma omp parallel
    {
#pragma omp for schedule(static) reduction(+ : diff) private(j) firstprivate(a1, a2, a3, a4, a5)
        for (i = i1; i <= i2; i++) {
            for (j = j1; j <= j2; j++) {
                new_psi[i][j] = a1 * psi[i + 1][j] + a2 * psi[i - 1][j] + a3 * psi[i][j + 1] +
                                a4 * psi[i][j - 1] - a5 * the_for[i][j];
                diff = diff + fabs(new_psi[i][j] - psi[i][j]);
            }
        }
    }
    double *old = b->psi;
    b->psi = b->new_psi;
    b->new_psi = old;
    return diff;
}

/* Kinetic energy of a row, rounded cell by cell: integers add up to the same in every order. */
static int64_t energy_of_row(const Basin *b, int i)
{
    int64_t energy = 0;
    for (int j = 1; j <= b->cells; j++) {
        const double speed = current_speed(b, i, j);
        energy += llround(speed * speed * 1e6);
    }
    return energy;
}

/* The lock contention: the work is inside the critical construct, not only the addition. */
static int64_t kinetic_energy(const Basin *b)
{
    int64_t energy = 0;
#pragma omp parallel for schedule(static)
    for (int i = 1; i <= b->rows; i++) {
#pragma omp critical(sum)
        energy += energy_of_row(b, i);
    }
    return energy;
}

/* Repaired: a partial sum per thread. */
static int64_t kinetic_energy_balanced(const Basin *b)
{
    int64_t energy = 0;
#pragma omp parallel for schedule(static) reduction(+ : energy)
    for (int i = 1; i <= b->rows; i++)
        energy += energy_of_row(b, i);
    return energy;
}

/* ---------------------------------------------------------------- output */

/* FNV-1a, continued over all of the text that is written. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t write_row(const double *row, int cells, FILE *file, uint64_t hash)
{
    char text[32];
    for (int j = 1; j <= cells; j++) {
        snprintf(text, sizeof text, "%.4e%c", row[j], j < cells ? ' ' : '\n');
        hash = hash_text(hash, text);
        if (file != NULL)
            fputs(text, file);
    }
    return hash;
}

/* Formats psi as text, row by row from west to east, on one thread of rank 0; the other ranks send
 * their rows there. Without a file only the hash of the text is kept. */
static void write_state(const Basin *b, FILE *file, Results *results)
{
    const size_t ld = (size_t)b->ld;
    if (mpi_rank == 0) {
        for (int i = 1; i <= b->rows; i++)
            results->state_hash =
                write_row(b->psi + (size_t)i * ld, b->cells, file, results->state_hash);
    }
#ifdef USE_MPI
    double *row = new_array(ld);
    for (int rank = 1; rank < mpi_ranks; rank++) {
        for (int i = rank_begin(b->cells, rank); i < rank_begin(b->cells, rank + 1); i++) {
            if (mpi_rank == rank)
                MPI_Send(b->psi + (size_t)(i - b->first + 1) * ld, b->ld, MPI_DOUBLE, 0, 3,
                         MPI_COMM_WORLD);
            if (mpi_rank == 0) {
                MPI_Recv(row, b->ld, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                results->state_hash = write_row(row, b->cells, file, results->state_hash);
            }
        }
    }
    free(row);
#endif
}

/* ---------------------------------------------------------------- the run */

/* One iteration. Energy is summed only now and then, as programs do with their diagnostics. */
static void iterate(Basin *b, const Options *options, int iteration, Results *results)
{
    exchange_halo(b);
    if (options->balanced)
        shelf_drag_balanced(b, &results->turbulent_cells);
    else
        shelf_drag(b, &results->turbulent_cells);
    results->diff = sum_over_ranks(relax(b));
    if (iteration % ENERGY_INTERVAL == 0) {
        exchange_halo(b);
        results->energy =
            count_over_ranks(options->balanced ? kinetic_energy_balanced(b) : kinetic_energy(b));
    }
}

static Results simulate(Basin *b, const Options *options)
{
    Results results = {.state_hash = UINT64_C(14695981039346656037)};
    FILE *file = NULL;
    if (options->output != NULL && mpi_rank == 0) {
        file = fopen(options->output, "w");
        if (file == NULL)
            fail("cannot open the output file for writing");
    }
    for (int iteration = 1; iteration <= options->iterations; iteration++) {
        iterate(b, options, iteration, &results);
        if (iteration % (options->iterations / REPORTS) == 0) {
            write_state(b, file, &results);
            if (mpi_rank == 0)
                printf("iteration %5d  mean change %.3e  energy %" PRId64 "\n", iteration,
                       results.diff / b->cells / b->cells, results.energy);
        }
    }
    results.turbulent_cells = count_over_ranks(results.turbulent_cells);
    if (file != NULL)
        fclose(file);
    return results;
}

/* Repeats the last relaxation serially, from the state before it, which new_psi still holds, and
 * compares every cell and the sum of the changes with the parallel result. */
static bool last_step_is_valid(Basin *b, double diff)
{
    const size_t ld = (size_t)b->ld;
    const double *old = b->new_psi;
    double serial_diff = 0.0;
    int64_t wrong = 0;
    for (size_t i = 1; i <= (size_t)b->rows; i++) {
        for (size_t c = i * ld + 1; c <= i * ld + (size_t)b->cells; c++) {
            const double value = b->a1 * old[c + ld] + b->a2 * old[c - ld] + b->a3 * old[c + 1] +
                                 b->a4 * old[c - 1] - b->a5 * b->the_for[c];
            wrong += !(fabs(value - b->psi[c]) <= 1e-12 * fabs(value));
            serial_diff += fabs(value - old[c]);
        }
    }
    serial_diff = sum_over_ranks(serial_diff);
    return count_over_ranks(wrong) == 0 && isfinite(diff) && diff > 0.0 &&
           fabs(serial_diff - diff) <= 1e-9 * diff;
}

static Options read_options(int argc, char **argv)
{
    Options options = {.cells = 256, .iterations = 1000};
    int *positions[] = {&options.cells, &options.iterations};
    int position = 0;
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--balanced") == 0) {
            options.balanced = true;
        } else if (strcmp(argv[a], "--output") == 0 && a + 1 < argc) {
            options.output = argv[++a];
        } else {
            char *rest;
            const long value = strtol(argv[a], &rest, 10);
            if (position == 2 || *rest != '\0' || value < 1 || value > 100000)
                fail("usage: ocean [--balanced] [--output FILE] [CELLS [ITERATIONS]]");
            *positions[position++] = (int)value;
        }
    }
    if (options.cells < CELLS_MIN || options.cells < mpi_ranks || options.iterations < REPORTS)
        fail("CELLS must be at least 48 and ITERATIONS at least 5");
    return options;
}

int main(int argc, char **argv)
{
    processes_begin(&argc, &argv);
    const Options options = read_options(argc, argv);
    Basin basin = basin_new(options.cells);
    read_forcing(&basin, options.balanced);
    const Results results = simulate(&basin, &options);
    const bool valid = last_step_is_valid(&basin, results.diff);
    if (mpi_rank == 0)
        printf("ocean: %d x %d cells, %d iterations, %" PRId64 " turbulent cells, checksum %016"
               PRIx64 ", %s\n",
               options.cells, options.cells, options.iterations, results.turbulent_cells,
               results.state_hash, valid ? "valid" : "INVALID");
    basin_free(&basin);
    processes_end();
    return valid ? 0 : 1;
}
