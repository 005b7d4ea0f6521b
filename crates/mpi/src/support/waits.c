/* ---- Who waits for whom, where the user wants to know. When a process begins to send is known to the
   receiver by a message of ours beside the program's, and when processes come to a collective
   operation by one of ours behind it. Both have a communicator of their own beside each of the
   program's, its shadow, so that the program's messages are what they are without us.

   All members have to agree on whether there is a shadow. No process waits for a message of ours
   that may never come. */

static struct pomp_mpi_settings settings;

/* Stamps that were not there yet when their messages were: how many of a sender with a tag. They
   arrive in the order in which they were sent, so it is known which ones are too late. */
struct overdue {
  uint64_t from;
  int stamps;
};

/* With more senders and tags at a time nobody knows any more which stamp is whose, and none counts. */
enum { OVERDUE = 8 };

struct shadow {
  MPI_Comm comm;
  int is_used, rank; /* none between two groups: others may have the same number */
  int is_graph, sources; /* how many neighbours data comes from, with a topology */
  uint32_t generation;
  int is_changing, is_given_up, all_overdue;
  struct overdue overdue[OVERDUE];
};

/* Libraries have a limited number of communicators, and the program may need them. */
enum { SHADOWS = 256 };
static struct shadow shadows[SHADOWS];
static int shadow_key = MPI_KEYVAL_INVALID;

static struct shadow *shadow_of(MPI_Comm comm)
{
  void *found = NULL;
  int is_there = 0;
  if (settings.waits && comm != MPI_COMM_NULL)
    PMPI_Comm_get_attr(comm, shadow_key, &found, &is_there);
  return is_there ? found : NULL;
}

static struct shadow *unused_shadow(void)
{
  for (int i = 0; i < SHADOWS; i++) {
    int unused = 0;
    if (__atomic_compare_exchange_n(&shadows[i].is_used, &unused, 1, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return &shadows[i];
  }
  return NULL;
}

static void give_back(struct shadow *shadow)
{
  if (!shadow)
    return;
  shadow->generation++;
  memset(shadow->overdue, 0, sizeof shadow->overdue);
  shadow->is_given_up = shadow->all_overdue = 0;
  __atomic_store_n(&shadow->is_used, 0, __ATOMIC_RELEASE);
}

static int has_strangers(MPI_Comm comm, int inter);

/* The processes that data comes from in an operation of neighbours, and behind them those that it goes
   to; `ranks` is NULL without a topology. */
struct neighbours {
  int from, to, *ranks;
};

static struct neighbours neighbours_of(MPI_Comm comm);

/* Whether this is so in all members. Of a communicator between two groups, each gets the other's
   answer first. */
static int everywhere(int so, MPI_Comm comm, int inter)
{
  int others = 0, all = 0;
  if (PMPI_Allreduce(&so, &others, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
    return 0;
  if (!inter)
    return others;
  if (PMPI_Allreduce(&others, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
    return 0;
  return others && all;
}

/* A communicator with the members of another one, and its neighbours. It is split, since a duplicate
   would call the program's functions that copy attributes. */
static int copy_members(MPI_Comm comm, int inter, struct shadow *shadow)
{
  struct neighbours near = { 0, 0, NULL };
  int result, rank = 0;
  if (!inter)
    near = neighbours_of(comm);
  PMPI_Comm_rank(comm, &rank);
  shadow->rank = inter ? MPI_PROC_NULL : rank;
  shadow->is_graph = near.ranks != NULL;
  shadow->sources = near.from;
  result = PMPI_Comm_split(comm, 0, rank, &shadow->comm);
  if (near.ranks && result == MPI_SUCCESS) {
    /* Made of a grid itself, Open MPI 5 would take the graph for a grid. */
    MPI_Comm plain = shadow->comm;
    result = PMPI_Dist_graph_create_adjacent(plain, near.from, near.ranks, MPI_UNWEIGHTED, near.to,
                                             near.ranks + near.from, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                             0, &shadow->comm);
    PMPI_Comm_free(&plain);
  }
  free(near.ranks);
  return result;
}

/* From now on it is the shadow of that communicator. */
static void cast(struct shadow *shadow, MPI_Comm comm)
{
  PMPI_Comm_set_errhandler(shadow->comm, MPI_ERRORS_RETURN);
  PMPI_Comm_set_attr(comm, shadow_key, shadow);
}

/* For all members of a new communicator. */
static void make_shadow(MPI_Comm comm)
{
  int inter = 0, size = 0;
  if (!settings.waits)
    return;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_size(comm, &size);
  if ((!inter && size < 2) || has_strangers(comm, inter))
    return;
  struct shadow *shadow = unused_shadow();
  if (!everywhere(shadow != NULL, comm, inter))
    give_back(shadow);
  else if (copy_members(comm, inter, shadow) != MPI_SUCCESS)
    give_back(shadow);
  else
    cast(shadow, comm);
}

/* The shadow of a communicator that MPI_Comm_idup makes is a duplicate of its parent's shadow, as far
   as all members have one. It is begun with the program's and has to be there with it, since messages
   may follow at once: all have begun it who have begun the program's. */
struct duplicate {
  struct shadow *shadow;
  struct shadow like;
  int is_possible, is_everywhere;
  MPI_Request requests[2];
};

static struct duplicate *duplicate_shadow(MPI_Comm comm)
{
  struct shadow *parent = shadow_of(comm);
  struct duplicate *made = parent && parent->rank >= 0 ? malloc(sizeof *made) : NULL;
  if (!made)
    return NULL;
  made->shadow = unused_shadow();
  made->is_possible = made->shadow != NULL;
  made->like = *parent;
  PMPI_Iallreduce(&made->is_possible, &made->is_everywhere, 1, MPI_INT, MPI_MIN, parent->comm,
                  &made->requests[0]);
  PMPI_Comm_idup(parent->comm, &made->like.comm, &made->requests[1]);
  return made;
}

/* The program's communicator is there. */
static void have_duplicate(struct duplicate *made, MPI_Comm comm)
{
  if (!made)
    return;
  PMPI_Waitall(2, made->requests, MPI_STATUSES_IGNORE);
  if (made->is_everywhere) {
    made->shadow->comm = made->like.comm;
    made->shadow->rank = made->like.rank;
    made->shadow->is_graph = made->like.is_graph;
    made->shadow->sources = made->like.sources;
    cast(made->shadow, comm);
  } else {
    PMPI_Comm_free(&made->like.comm);
    give_back(made->shadow);
  }
  free(made);
}

/* Takes the stamps that nobody has looked for. */
static void drain(MPI_Comm comm)
{
  uint64_t entered_ns;
  int is_there = 1;
  MPI_Message message;
  while (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, &message, MPI_STATUS_IGNORE)
             == MPI_SUCCESS
         && is_there)
    PMPI_Mrecv(&entered_ns, 1, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
}

/* Some libraries end the job where a communicator is freed with messages in it. So it is freed when
   all members have left it, behind all that they have sent: later calls find out whether they have. */
enum { IS_UNUSED, IS_CHANGING, IS_LEFT, LEFT = 64 };
static struct left {
  int state;
  MPI_Comm comm;
  MPI_Request everybody;
} left[LEFT];

static int has_state(struct left *one, int state)
{
  return __atomic_compare_exchange_n(&one->state, &state, IS_CHANGING, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

/* Frees what all members have left, and says how many there are that somebody has not. */
static int free_left(void)
{
  int others = 0;
  for (struct left *one = left; one < left + LEFT; one++) {
    int is_over = 0;
    if (!has_state(one, IS_LEFT))
      continue;
    PMPI_Test(&one->everybody, &is_over, MPI_STATUS_IGNORE);
    if (is_over) {
      drain(one->comm);
      PMPI_Comm_free(&one->comm);
    }
    others += !is_over;
    __atomic_store_n(&one->state, is_over ? IS_UNUSED : IS_LEFT, __ATOMIC_RELEASE);
  }
  return others;
}

/* At the end, others come to where this process is; nobody waits for long for one that does not. */
static void free_all_left(void)
{
  uint64_t begin_ns = pomp_mpi_clock_ns();
  while (free_left() > 0 && pomp_mpi_clock_ns() - begin_ns < UINT64_C(1000000000))
    continue;
}

static void leave(MPI_Comm *comm)
{
  struct left *one = left;
  while (one < left + LEFT && !has_state(one, IS_UNUSED))
    one++;
  if (one < left + LEFT && PMPI_Ibarrier(*comm, &one->everybody) == MPI_SUCCESS) {
    one->comm = *comm;
    __atomic_store_n(&one->state, IS_LEFT, __ATOMIC_RELEASE);
    return;
  }
  if (one < left + LEFT)
    __atomic_store_n(&one->state, IS_UNUSED, __ATOMIC_RELEASE);
  drain(*comm);
  PMPI_Comm_free(comm);
}

/* Before the communicator is freed. */
static void drop_shadow(MPI_Comm comm)
{
  struct shadow *shadow = shadow_of(comm);
  if (!shadow)
    return;
  PMPI_Comm_delete_attr(comm, shadow_key);
  free_left();
  leave(&shadow->comm);
  give_back(shadow);
}

/* What a request keeps of the shadow: the communicator may be freed before it is complete. */
static uint64_t key_of(MPI_Comm comm)
{
  struct shadow *shadow = shadow_of(comm);
  return shadow ? ((uint64_t)shadow->generation << 32 | (uint64_t)(shadow - shadows + 1)) : 0;
}

static struct shadow *shadow_by(uint64_t key)
{
  struct shadow *shadow = &shadows[(uint32_t)key - 1];
  return key && shadow->generation == key >> 32 ? shadow : NULL;
}

/* Before a message is sent. */
static void tell(struct shadow *shadow, int dest, int tag)
{
  if (!shadow || dest < 0 || dest == shadow->rank)
    return;
  uint64_t entered_ns = pomp_mpi_entered_ns();
  PMPI_Send(&entered_ns, 1, MPI_UINT64_T, dest, tag, shadow->comm);
}

/* When the last sender began whose message this call has received. */
static __thread uint64_t sent_ns __attribute__((tls_model("initial-exec")));

/* What is overdue of a sender with a tag, or a free place for it. */
static struct overdue *overdue_from(struct shadow *shadow, uint64_t from)
{
  struct overdue *unused = NULL;
  for (struct overdue *one = shadow->overdue; one < shadow->overdue + OVERDUE; one++) {
    if (one->stamps && one->from == from)
      return one;
    if (!one->stamps)
      unused = one;
  }
  return unused;
}

/* Adds so many to the stamps that are overdue and returns how many there were; mostly there are none,
   and no thread has to wait for another here. */
static int overdue(struct shadow *shadow, int sender, int tag, int more)
{
  uint64_t from = (uint64_t)(uint32_t)sender << 32 | (uint32_t)tag;
  if (!more && !__atomic_load_n(&shadow->all_overdue, __ATOMIC_RELAXED))
    return 0;
  while (__atomic_exchange_n(&shadow->is_changing, 1, __ATOMIC_ACQUIRE))
    continue;
  struct overdue *known = overdue_from(shadow, from);
  int before = known ? known->stamps : 0;
  if (known && before + more >= 0) {
    known->from = from;
    known->stamps += more;
    __atomic_store_n(&shadow->all_overdue, shadow->all_overdue + more, __ATOMIC_RELAXED);
  } else if (more > 0) {
    __atomic_store_n(&shadow->is_given_up, 1, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&shadow->is_changing, 0, __ATOMIC_RELEASE);
  return before;
}

/* The next stamp of a sender with a tag, if it is there soon: nobody waits for it. */
static int take_stamp(struct shadow *shadow, int sender, int tag, uint64_t *entered_ns)
{
  int is_there = 0;
  MPI_Message message;
  for (int tries = 0; tries < 200 && !is_there; tries++)
    if (PMPI_Improbe(sender, tag, shadow->comm, &is_there, &message, MPI_STATUS_IGNORE))
      return 0;
  if (is_there)
    PMPI_Mrecv(entered_ns, 1, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
  return is_there;
}

/* After a message is received. What its sender says was sent before it, behind what it said of earlier
   messages. */
static void hear(struct shadow *shadow, int sender, int tag)
{
  uint64_t entered_ns = 0;
  if (!shadow || sender < 0 || sender == shadow->rank)
    return;
  int late = overdue(shadow, sender, tag, 0), missing = late + 1;
  while (missing > 0 && take_stamp(shadow, sender, tag, &entered_ns))
    missing--;
  if (missing != late && (missing || late))
    overdue(shadow, sender, tag, missing - late);
  if (!missing && entered_ns > sent_ns && !__atomic_load_n(&shadow->is_given_up, __ATOMIC_RELAXED))
    sent_ns = entered_ns;
}

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
enum awaited { NOBODY, EVERYBODY, ROOT, OTHERS, NEIGHBOURS };

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

/* After a collective operation that all have come to. */
static void met(MPI_Comm comm, int root, enum awaited whom)
{
  struct shadow *shadow = whom == NOBODY ? NULL : shadow_of(comm);
  if (settings.clock_period_ms && whom == EVERYBODY && comm == world_comm)
    clocks_are_due();
  if (!shadow)
    return;
  root = given_root(root);
  struct times times = times_of(shadow, root, whom);
  if (whom == EVERYBODY)
    PMPI_Allreduce(&times.own_ns, &times.until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm);
  if (whom == ROOT)
    PMPI_Bcast(&times.until_ns, 1, MPI_UINT64_T, root, shadow->comm);
  if (whom == OTHERS)
    PMPI_Reduce(&times.own_ns, &times.until_ns, 1, MPI_UINT64_T, MPI_MIN, root, shadow->comm);
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
  struct meeting *meeting = shadow ? new_meeting() : NULL;
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

/* After the program's operation is complete: until when this process has waited, as far as that is
   known soon. */
static uint64_t have_met(struct meeting *meeting)
{
  int over = 0;
  if (!meeting)
    return 0;
  for (int tries = 0; tries < 200 && !over; tries++)
    over = is_over(meeting);
  uint64_t until_ns = over ? until(meeting) : 0;
  if (meeting->is_persistent)
    meeting->is_begun = !over;
  else
    put(over ? &unused : &unfinished, meeting);
  return until_ns;
}

/* Those of persistent operations, to be used again when these are freed. */
static struct meeting *prepared_meetings;

#ifdef HAS_PERSISTENT_COLLECTIVES
static struct meeting *new_prepared(void)
{
  struct meeting *one = __atomic_load_n(&prepared_meetings, __ATOMIC_ACQUIRE);
  for (; one; one = one->next)
    if (!__atomic_exchange_n(&one->is_taken, 1, __ATOMIC_ACQUIRE))
      return one;
  one = calloc(1, sizeof *one);
  if (one) {
    one->is_taken = one->is_persistent = 1;
    put(&prepared_meetings, one);
  }
  return one;
}

/* After a persistent collective operation is made, in all members in the same order. Ours is one as
   well: they may be started in any order. */
static struct meeting *prepare_meeting(MPI_Comm comm, int root, enum awaited whom)
{
  struct shadow *shadow = whom == NOBODY ? NULL : shadow_of(comm);
  struct meeting *meeting = shadow ? new_prepared() : NULL;
  if (!meeting)
    return NULL;
  root = given_root(root);
  struct times *times = &meeting->times;
  meeting->whom = whom;
  meeting->is_for_others = whom == OTHERS && root == shadow->rank;
  meeting->request = MPI_REQUEST_NULL;
  meeting->sources = 0;
  if (whom == EVERYBODY)
    PMPI_Allreduce_init(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm,
                        MPI_INFO_NULL, &meeting->request);
  if (whom == ROOT)
    PMPI_Bcast_init(&times->until_ns, 1, MPI_UINT64_T, root, shadow->comm, MPI_INFO_NULL,
                    &meeting->request);
  if (whom == OTHERS)
    PMPI_Reduce_init(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MIN, root,
                     shadow->comm, MPI_INFO_NULL, &meeting->request);
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

/* Before a persistent operation is started. */
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
