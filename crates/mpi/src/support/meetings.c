/* ---- When processes come to collective operations. */

/* When all had begun that a non-blocking collective operation needs which this call has completed. */
static __thread uint64_t met_ns __attribute__((tls_model("initial-exec")));

/* After all messages and operations that a call has completed: it has waited for the last one. */
static inline void heard(void)
{
  if (!settings.waits || (sent_ns == 0 && met_ns == 0))
    return;
  if (met_ns > sent_ns)
    pomp_mpi_waited_for_collective(met_ns);
  else
    pomp_mpi_waited(sent_ns);
  sent_ns = met_ns = 0;
}

/* For whom processes wait in a collective operation. */
enum awaited { NOBODY, EVERYBODY, ROOT, OTHERS, LOWER_RANKS, NEIGHBOURS };

static void clocks_are_due(void);

/* What this process says of itself in a collective operation, and what it will know. */
struct times {
  uint64_t own_ns, until_ns;
};

/* The root as MPI's functions want it: between two groups it is known by other names (root_of). */
static int given_root(int root)
{
  return root == -2 ? MPI_ROOT : root == -3 ? MPI_PROC_NULL : root;
}

static struct times times_of(const struct shadow *shadow, int root, enum awaited whom)
{
  struct times times = { pomp_mpi_entered_ns(), 0 };
  if (whom != OTHERS)
    times.until_ns = times.own_ns;
  else if (root == shadow->rank)
    times.own_ns = UINT64_MAX;
  return times;
}

/* Whether a call has found fault with its arguments: it has not begun what others may have. */
static int is_refused(int result)
{
  static const int faults[] = { MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_COMM,
    MPI_ERR_ROOT, MPI_ERR_OP, MPI_ERR_TOPOLOGY, MPI_ERR_ARG, MPI_ERR_REQUEST };
  int class = MPI_SUCCESS;
  if (result == MPI_SUCCESS)
    return 0;
  PMPI_Error_class(result, &class);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (class == faults[i])
      return 1;
  return 0;
}

/* After a collective operation that all have come to. */
static void met(MPI_Comm comm, int root, enum awaited whom)
{
  struct shadow *shadow = whom == NOBODY ? NULL : shadow_of(comm);
  if (settings.clock_period_ms && whom == EVERYBODY && comm == world_comm)
    clocks_are_due();
  if (!shadow)
    return;
  root = given_root(root);
  uint64_t begin = own_begin();
  struct times times = times_of(shadow, root, whom);
  if (whom == EVERYBODY)
    PMPI_Allreduce(&times.own_ns, &times.until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm);
  if (whom == ROOT)
    PMPI_Bcast(&times.until_ns, 1, MPI_UINT64_T, root, shadow->comm);
  if (whom == OTHERS)
    PMPI_Reduce(&times.own_ns, &times.until_ns, 1, MPI_UINT64_T, MPI_MIN, root, shadow->comm);
  if (whom == LOWER_RANKS)
    PMPI_Scan(&times.own_ns, &times.until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm);
  own_end(begin);
  pomp_mpi_waited(times.until_ns);
}

/* A collective operation that has begun, with one of ours beside it that nobody waits for. It may be
   under way for longer than the program's. */
struct meeting {
  struct meeting *next;
  MPI_Request request;
  struct times times;
  /* When neighbours have begun. */
  uint64_t *theirs;
  int sources, room;
  /* One of a persistent operation: whether it is under way, and what its times are at the begin. */
  int is_taken, is_persistent, is_begun;
  enum awaited whom;
  int is_for_others;
};

/* All that are over for the program, but not for us, and those that can be used again. */
static struct meeting *unfinished, *unused;
static int meetings_change;

static void put(struct meeting **list, struct meeting *meeting)
{
  while (__atomic_exchange_n(&meetings_change, 1, __ATOMIC_ACQUIRE))
    continue;
  meeting->next = *list;
  *list = meeting;
  __atomic_store_n(&meetings_change, 0, __ATOMIC_RELEASE);
}

static struct meeting *take(struct meeting **list)
{
  while (__atomic_exchange_n(&meetings_change, 1, __ATOMIC_ACQUIRE))
    continue;
  struct meeting *first = *list;
  if (first)
    *list = first->next;
  __atomic_store_n(&meetings_change, 0, __ATOMIC_RELEASE);
  return first;
}

static int is_over(struct meeting *meeting)
{
  int over = 0;
  PMPI_Test(&meeting->request, &over, MPI_STATUS_IGNORE);
  return over;
}

/* One that can be used: where the oldest of those that were not over is now, it is that. */
static struct meeting *new_meeting(void)
{
  struct meeting *meeting = take(&unfinished);
  if (meeting && is_over(meeting))
    return meeting;
  if (meeting)
    put(&unfinished, meeting);
  meeting = take(&unused);
  return meeting ? meeting : calloc(1, sizeof *meeting);
}

/* Room for what the neighbours say; 0 where there is none, or nothing to be said. */
static int hears_neighbours(struct meeting *meeting, const struct shadow *shadow)
{
  meeting->sources = shadow->is_graph ? shadow->sources : 0;
  if (meeting->sources > meeting->room) {
    uint64_t *theirs = realloc(meeting->theirs, sizeof *theirs * (size_t)meeting->sources);
    meeting->room = theirs ? meeting->sources : meeting->room;
    meeting->theirs = theirs ? theirs : meeting->theirs;
  }
  return shadow->is_graph && meeting->sources <= meeting->room;
}

/* Where a non-blocking collective operation begins, in all members. */
static struct meeting *will_meet(MPI_Comm comm, int root, enum awaited whom)
{
  struct shadow *shadow = whom == NOBODY ? NULL : shadow_of(comm);
  struct meeting *meeting = shadow && whom == NEIGHBOURS ? shadow->ahead : NULL;
  if (meeting) {
    shadow->ahead = NULL;
    return meeting;
  }
  meeting = shadow ? new_meeting() : NULL;
  if (!meeting)
    return NULL;
  root = given_root(root);
  struct times *times = &meeting->times;
  *times = times_of(shadow, root, whom);
  meeting->request = MPI_REQUEST_NULL;
  meeting->sources = 0;
  if (whom == EVERYBODY)
    PMPI_Iallreduce(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm,
                    &meeting->request);
  if (whom == ROOT)
    PMPI_Ibcast(&times->until_ns, 1, MPI_UINT64_T, root, shadow->comm, &meeting->request);
  if (whom == OTHERS)
    PMPI_Ireduce(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MIN, root, shadow->comm,
                 &meeting->request);
  if (whom == LOWER_RANKS)
    PMPI_Iscan(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm,
               &meeting->request);
  if (whom == NEIGHBOURS && hears_neighbours(meeting, shadow))
    PMPI_Ineighbor_allgather(&times->own_ns, 1, MPI_UINT64_T, meeting->theirs, 1, MPI_UINT64_T,
                             shadow->comm, &meeting->request);
  return meeting;
}

/* Until when somebody was missing in one that is over. */
static uint64_t until(const struct meeting *meeting)
{
  uint64_t latest = meeting->times.until_ns;
  for (int i = 0; i < meeting->sources; i++)
    if (meeting->theirs[i] > latest)
      latest = meeting->theirs[i];
  return latest;
}

/* How long this process may wait below: what it has waited is taken off, what was there at once gives a
   little back. */
static int64_t patience_ns = 50000000;
enum { GIVEN_BACK_NS = 10000, MOST_PATIENCE_NS = 50000000 };

/* Ours of an operation that is complete is on its way as well: who has begun that begins ours next. It
   comes at once, unless a process has lost its processor in between, and gets it again meanwhile. */
static int is_over_soon(struct meeting *meeting)
{
  int over = 0;
  for (int tries = 0; tries < 200 && !over; tries++)
    over = is_over(meeting);
  int64_t patience = __atomic_load_n(&patience_ns, __ATOMIC_RELAXED);
  if (over) {
    if (patience < MOST_PATIENCE_NS)
      __atomic_fetch_add(&patience_ns, GIVEN_BACK_NS, __ATOMIC_RELAXED);
    return 1;
  }
  int64_t begin_ns = (int64_t)pomp_mpi_clock_ns(), waited_ns = 0;
  while (!over && waited_ns < patience) {
    sched_yield();
    over = is_over(meeting);
    waited_ns = (int64_t)pomp_mpi_clock_ns() - begin_ns;
  }
  __atomic_fetch_sub(&patience_ns, waited_ns, __ATOMIC_RELAXED);
  return over;
}

/* After the program's operation is complete: until when this process has waited, as far as that is
   known soon. */
static uint64_t have_met(struct meeting *meeting)
{
  if (!meeting)
    return 0;
  int over = is_over_soon(meeting);
  uint64_t until_ns = over ? until(meeting) : 0;
  if (meeting->is_persistent)
    meeting->is_begun = !over;
  else
    put(over ? &unused : &unfinished, meeting);
  return until_ns;
}

/* Neighbours have been told of an operation that has failed: it will do for the next one. */
static void keep_ahead(MPI_Comm comm, struct meeting *meeting)
{
  struct shadow *shadow = shadow_of(comm);
  if (shadow)
    shadow->ahead = meeting;
}

/* Those of persistent operations, to be used again when these are freed. */
static struct meeting *prepared_meetings;

#ifdef HAS_PERSISTENT_COLLECTIVES
static struct meeting *new_prepared(enum awaited whom)
{
  struct meeting *one = __atomic_load_n(&prepared_meetings, __ATOMIC_ACQUIRE);
  while (one && __atomic_exchange_n(&one->is_taken, 1, __ATOMIC_ACQUIRE))
    one = one->next;
  if (!one) {
    one = calloc(1, sizeof *one);
    if (!one)
      return NULL;
    one->is_taken = one->is_persistent = 1;
    put(&prepared_meetings, one);
  }
  one->whom = whom;
  one->request = MPI_REQUEST_NULL;
  one->sources = 0;
  return one;
}


/* After a persistent collective operation is made, in all members in the same order. Ours is one as
   well: they may be started in any order. */
static struct meeting *prepare_meeting(MPI_Comm comm, int root, enum awaited whom)
{
  struct shadow *shadow = whom == NOBODY ? NULL : shadow_of(comm);
  struct meeting *meeting = shadow ? new_prepared(whom) : NULL;
  if (!meeting)
    return NULL;
  root = given_root(root);
  struct times *times = &meeting->times;
  meeting->is_for_others = whom == OTHERS && root == shadow->rank;
  if (whom == EVERYBODY)
    PMPI_Allreduce_init(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm,
                        MPI_INFO_NULL, &meeting->request);
  if (whom == ROOT)
    PMPI_Bcast_init(&times->until_ns, 1, MPI_UINT64_T, root, shadow->comm, MPI_INFO_NULL,
                    &meeting->request);
  if (whom == OTHERS)
    PMPI_Reduce_init(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MIN, root,
                     shadow->comm, MPI_INFO_NULL, &meeting->request);
  if (whom == LOWER_RANKS)
    PMPI_Scan_init(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm,
                   MPI_INFO_NULL, &meeting->request);
  if (whom == NEIGHBOURS && hears_neighbours(meeting, shadow))
    PMPI_Neighbor_allgather_init(&times->own_ns, 1, MPI_UINT64_T, meeting->theirs, 1, MPI_UINT64_T,
                                 shadow->comm, MPI_INFO_NULL, &meeting->request);
  return meeting;
}
#else
static struct meeting *prepare_meeting(MPI_Comm comm, int root, enum awaited whom)
{
  (void)comm, (void)root, (void)whom;
  return NULL;
}
#endif

/* Ours of the time before: what the program's has needed to be complete may be all that all members
   have begun it, so they do. */
static void end_prepared(struct meeting *meeting)
{
  if (meeting->is_begun)
    PMPI_Wait(&meeting->request, MPI_STATUS_IGNORE);
  meeting->is_begun = 0;
}

/* After a persistent operation is started. */
static void start_meeting(struct meeting *meeting)
{
  if (!meeting || meeting->request == MPI_REQUEST_NULL)
    return;
  end_prepared(meeting);
  uint64_t entered_ns = pomp_mpi_entered_ns();
  meeting->times.own_ns = meeting->is_for_others ? UINT64_MAX : entered_ns;
  meeting->times.until_ns = meeting->whom == OTHERS ? 0 : entered_ns;
  meeting->is_begun = PMPI_Start(&meeting->request) == MPI_SUCCESS;
}

/* Before it is freed. */
static void free_meeting(struct meeting *meeting)
{
  if (!meeting)
    return;
  end_prepared(meeting);
  if (meeting->request != MPI_REQUEST_NULL)
    PMPI_Request_free(&meeting->request);
  __atomic_store_n(&meeting->is_taken, 0, __ATOMIC_RELEASE);
}

/* Before the job ends: all processes have begun all operations. */
static void end_meetings(void)
{
  for (struct meeting *meeting; (meeting = take(&unfinished)) != NULL; put(&unused, meeting))
    PMPI_Wait(&meeting->request, MPI_STATUS_IGNORE);
  for (struct meeting *meeting = prepared_meetings; meeting; meeting = meeting->next)
    end_prepared(meeting);
}
