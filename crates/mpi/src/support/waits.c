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
  int is_used, rank;
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

static int has_strangers(MPI_Comm comm);

/* For all members of a new communicator. It is split, since a duplicate would call the program's
   functions that copy attributes. */
static void make_shadow(MPI_Comm comm)
{
  int inter = 0, size = 0, have, all = 0;
  if (!settings.waits)
    return;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_size(comm, &size);
  if (inter || size < 2 || has_strangers(comm))
    return;
  struct shadow *shadow = unused_shadow();
  have = shadow != NULL;
  if (PMPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all) {
    give_back(shadow);
    return;
  }
  PMPI_Comm_rank(comm, &shadow->rank);
  if (PMPI_Comm_split(comm, 0, shadow->rank, &shadow->comm) != MPI_SUCCESS) {
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

/* After all messages that a call has received. */
static inline void heard(void)
{
  if (!settings.waits || sent_ns == 0)
    return;
  pomp_mpi_waited(sent_ns);
  sent_ns = 0;
}

/* For whom processes wait in a collective operation. */
enum awaited { NOBODY, EVERYBODY, ROOT, OTHERS };

static void clocks_are_due(void);

/* After a collective operation that all have come to. */
static void met(MPI_Comm comm, int root, enum awaited whom)
{
  struct shadow *shadow = whom == NOBODY ? NULL : shadow_of(comm);
  if (settings.clock_period_ms && whom == EVERYBODY && comm == world_comm)
    clocks_are_due();
  if (!shadow)
    return;
  uint64_t own_ns = pomp_mpi_entered_ns(), until_ns = own_ns;
  if (whom == EVERYBODY)
    PMPI_Allreduce(&own_ns, &until_ns, 1, MPI_UINT64_T, MPI_MAX, shadow->comm);
  if (whom == ROOT)
    PMPI_Bcast(&until_ns, 1, MPI_UINT64_T, root, shadow->comm);
  if (whom == OTHERS) {
    if (root == shadow->rank)
      own_ns = UINT64_MAX;
    else
      until_ns = 0;
    PMPI_Reduce(&own_ns, &until_ns, 1, MPI_UINT64_T, MPI_MIN, root, shadow->comm);
  }
  pomp_mpi_waited(until_ns);
}

