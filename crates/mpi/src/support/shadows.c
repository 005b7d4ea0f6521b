/* ---- Who waits for whom, where the user wants to know. When a process begins to send is known to the
   receiver by a message of ours beside the program's, and when processes come to a collective
   operation by one of ours behind it. Both have a communicator of their own beside each of the
   program's, its shadow, so that the program's messages are what they are without us.

   All members have to agree on whether there is a shadow. No process waits for a message of ours
   that may never come. */

static struct pomp_mpi_settings settings;

/* Whether the times of messages are sent next to them. */
static inline int has_stamps(void)
{
  return settings.waits >= POMP_MPI_WAITS_FOR_MESSAGES;
}

/* Our own messages are no part of what the program's cost. */
static inline uint64_t own_begin(void)
{
  return pomp_mpi_ticks();
}

static inline void own_end(uint64_t begin)
{
  pomp_mpi_own(begin);
}

/* Stamps that were not there yet when their messages were: how many of a sender with a tag. They
   arrive in the order in which they were sent, so it is known which ones are too late. */
struct overdue {
  uint64_t from;
  int stamps;
};

/* With more senders and tags at a time nobody knows any more which stamp is whose, and none counts. */
enum { OVERDUE = 8 };

/* Some libraries end the job where a communicator is freed with messages in it. So a shadow is left
   first, and freed when all members have left it, behind all that they have sent: later calls find
   out whether they have. */
enum { IS_UNUSED, IS_USED, IS_CHANGING, IS_LEFT };

struct shadow {
  MPI_Comm comm;
  MPI_Comm all; /* of a communicator between two groups: the members of both */
  MPI_Request everybody; /* has left it */
  int state, rank; /* none between two groups: others may have the same number */
  int is_graph, sources; /* how many neighbours data comes from, with a topology */
  struct meeting *ahead; /* that has begun for an operation of neighbours which failed */
  uint32_t generation;
  int is_changing, is_given_up, all_overdue;
  struct overdue overdue[OVERDUE];
};

/* Some libraries have a limited number of communicators, and the program may need them: MPICH and what
   is made of it have 2,046, and Open MPI more than anybody has memory for. */
#ifdef OPEN_MPI
enum { SHADOWS = 8192 };
#else
enum { SHADOWS = 512 };
#endif
static struct shadow shadows[SHADOWS];
/* So many of them have ever been used. */
static int shadows_known;
static int shadow_key = MPI_KEYVAL_INVALID;

static struct shadow *shadow_of(MPI_Comm comm)
{
  void *found = NULL;
  int is_there = 0;
  if (settings.waits && comm != MPI_COMM_NULL)
    PMPI_Comm_get_attr(comm, shadow_key, &found, &is_there);
  return is_there ? found : NULL;
}

static int has_state(struct shadow *shadow, int state, int next)
{
  return __atomic_compare_exchange_n(&shadow->state, &state, next, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static struct shadow *unused_shadow(void)
{
  int known = __atomic_load_n(&shadows_known, __ATOMIC_RELAXED);
  for (int i = 0; i < SHADOWS; i++) {
    if (!has_state(&shadows[i], IS_UNUSED, IS_USED))
      continue;
    while (known <= i
           && !__atomic_compare_exchange_n(&shadows_known, &known, i + 1, 0, __ATOMIC_RELEASE,
                                           __ATOMIC_RELAXED))
      continue;
    shadows[i].all = MPI_COMM_NULL;
    return &shadows[i];
  }
  return NULL;
}

/* What is still said of the communicator is not said of the next one. */
static void forget_shadow(struct shadow *shadow)
{
  shadow->generation++;
  memset(shadow->overdue, 0, sizeof shadow->overdue);
  shadow->is_given_up = shadow->all_overdue = 0;
  shadow->ahead = NULL;
}

static void give_back(struct shadow *shadow)
{
  if (shadow)
    __atomic_store_n(&shadow->state, IS_UNUSED, __ATOMIC_RELEASE);
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

/* One with the members of both groups. */
static int join_groups(struct shadow *shadow)
{
  int result = PMPI_Intercomm_merge(shadow->comm, 0, &shadow->all);
  if (result != MPI_SUCCESS)
    PMPI_Comm_free(&shadow->comm);
  else
    PMPI_Comm_set_errhandler(shadow->all, MPI_ERRORS_RETURN);
  return result;
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
  if (inter && result == MPI_SUCCESS)
    result = join_groups(shadow);
  free(near.ranks);
  return result;
}

/* The same where the library may have no communicator left: the program does not end for ours. The
   one to be copied is not the program's yet. */
static int try_to_copy_members(MPI_Comm comm, int inter, struct shadow *shadow)
{
  MPI_Errhandler own;
  PMPI_Comm_get_errhandler(comm, &own);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int result = copy_members(comm, inter, shadow);
  PMPI_Comm_set_errhandler(comm, own);
  PMPI_Errhandler_free(&own);
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
  else if (try_to_copy_members(comm, inter, shadow) != MPI_SUCCESS)
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
  MPI_Request requests[3];
};

static struct duplicate *duplicate_shadow(MPI_Comm comm)
{
  struct shadow *parent = shadow_of(comm);
  struct duplicate *made = parent ? malloc(sizeof *made) : NULL;
  if (!made)
    return NULL;
  made->shadow = unused_shadow();
  made->is_possible = made->shadow != NULL;
  made->like = *parent;
  made->requests[2] = MPI_REQUEST_NULL;
  PMPI_Iallreduce(&made->is_possible, &made->is_everywhere, 1, MPI_INT, MPI_MIN,
                  parent->all == MPI_COMM_NULL ? parent->comm : parent->all, &made->requests[0]);
  PMPI_Comm_idup(parent->comm, &made->like.comm, &made->requests[1]);
  if (parent->all != MPI_COMM_NULL)
    PMPI_Comm_idup(parent->all, &made->like.all, &made->requests[2]);
  return made;
}

/* The program's communicator is there. */
static void have_duplicate(struct duplicate *made, MPI_Comm comm)
{
  if (!made)
    return;
  PMPI_Waitall(3, made->requests, MPI_STATUSES_IGNORE);
  if (made->is_everywhere) {
    made->shadow->comm = made->like.comm;
    made->shadow->all = made->like.all;
    made->shadow->rank = made->like.rank;
    made->shadow->is_graph = made->like.is_graph;
    made->shadow->sources = made->like.sources;
    cast(made->shadow, comm);
  } else {
    PMPI_Comm_free(&made->like.comm);
    if (made->like.all != MPI_COMM_NULL)
      PMPI_Comm_free(&made->like.all);
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

static void free_shadow(struct shadow *shadow)
{
  drain(shadow->comm);
  PMPI_Comm_free(&shadow->comm);
  if (shadow->all != MPI_COMM_NULL)
    PMPI_Comm_free(&shadow->all);
  give_back(shadow);
}

/* Frees what all members have left, and says how many there are that somebody has not. */
static int free_left(void)
{
  int others = 0, known = __atomic_load_n(&shadows_known, __ATOMIC_ACQUIRE);
  for (struct shadow *one = shadows; one < shadows + known; one++) {
    int is_over = 0;
    if (__atomic_load_n(&one->state, __ATOMIC_RELAXED) != IS_LEFT
        || !has_state(one, IS_LEFT, IS_CHANGING))
      continue;
    PMPI_Test(&one->everybody, &is_over, MPI_STATUS_IGNORE);
    if (is_over)
      free_shadow(one);
    else
      __atomic_store_n(&one->state, IS_LEFT, __ATOMIC_RELEASE);
    others += !is_over;
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

/* Before the communicator is freed. */
static void drop_shadow(MPI_Comm comm)
{
  struct shadow *shadow = shadow_of(comm);
  if (!shadow)
    return;
  PMPI_Comm_delete_attr(comm, shadow_key);
  free_left();
  forget_shadow(shadow);
  if (PMPI_Ibarrier(shadow->comm, &shadow->everybody) == MPI_SUCCESS)
    __atomic_store_n(&shadow->state, IS_LEFT, __ATOMIC_RELEASE);
  else
    free_shadow(shadow);
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
