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

/* For all members of a new communicator. It is split, since a duplicate would call the program's
   functions that copy attributes. */
static void make_shadow(MPI_Comm comm)
{
  int inter = 0, size = 0, rank = 0;
  if (!settings.waits)
    return;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_size(comm, &size);
  if ((!inter && size < 2) || has_strangers(comm, inter))
    return;
  struct shadow *shadow = unused_shadow();
  if (!everywhere(shadow != NULL, comm, inter)) {
    give_back(shadow);
    return;
  }
  PMPI_Comm_rank(comm, &rank);
  shadow->rank = inter ? MPI_PROC_NULL : rank;
  if (PMPI_Comm_split(comm, 0, rank, &shadow->comm) != MPI_SUCCESS) {
    give_back(shadow);
    return;
  }
  PMPI_Comm_set_errhandler(shadow->comm, MPI_ERRORS_RETURN);
  PMPI_Comm_set_attr(comm, shadow_key, shadow);
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
enum awaited { NOBODY, EVERYBODY, ROOT, OTHERS };

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

/* A collective operation that has begun, with one of ours behind it that nobody waits for. It may be
   under way for longer than the program's. */
struct meeting {
  struct meeting *next;
  MPI_Request request;
  struct times times;
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
  return meeting ? meeting : malloc(sizeof *meeting);
}

/* After a non-blocking collective operation has begun, in all members. */
static struct meeting *will_meet(MPI_Comm comm, int root, enum awaited whom)
{
  struct shadow *shadow = whom == NOBODY ? NULL : shadow_of(comm);
  struct meeting *meeting = shadow ? new_meeting() : NULL;
  if (!meeting)
    return NULL;
  root = given_root(root);
  struct times *times = &meeting->times;
  *times = times_of(shadow, root, whom);
  if (whom == EVERYBODY)
    PMPI_Iallreduce(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm,
                    &meeting->request);
  if (whom == ROOT)
    PMPI_Ibcast(&times->until_ns, 1, MPI_UINT64_T, root, shadow->comm, &meeting->request);
  if (whom == OTHERS)
    PMPI_Ireduce(&times->own_ns, &times->until_ns, 1, MPI_UINT64_T, MPI_MIN, root, shadow->comm,
                 &meeting->request);
  return meeting;
}

/* After the program's operation is complete. */
static void have_met(struct meeting *meeting)
{
  int over = 0;
  if (!meeting)
    return;
  for (int tries = 0; tries < 200 && !over; tries++)
    over = is_over(meeting);
  if (over && meeting->times.until_ns > met_ns)
    met_ns = meeting->times.until_ns;
  put(over ? &unused : &unfinished, meeting);
}

/* Before the job ends: all processes have begun all operations. */
static void end_meetings(void)
{
  for (struct meeting *meeting; (meeting = take(&unfinished)) != NULL; put(&unused, meeting))
    PMPI_Wait(&meeting->request, MPI_STATUS_IGNORE);
}
