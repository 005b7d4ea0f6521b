/* ---- When messages were sent. */

/* What is sent behind the stamp of a message that was not sent after all. */
#define VOID UINT64_C(0)
/* What is added to that of a message in parts, which may share its tag with another: it has a tag of
   the other end (mirrored), and what goes wrong where a program uses both ends is found out. */
#define IN_PARTS (UINT64_C(1) << 63)

static void tell_that(struct shadow *shadow, int dest, int tag, uint64_t stamp)
{
  if (shadow && dest >= 0 && dest != shadow->rank)
    PMPI_Send(&stamp, 1, MPI_UINT64_T, dest, tag, shadow->comm);
}

/* Before a message is sent. */
static void tell(struct shadow *shadow, int dest, int tag)
{
  if (!shadow)
    return;
  uint64_t begin = own_begin();
  tell_that(shadow, dest, tag, pomp_mpi_entered_ns());
  own_end(begin);
}

/* After that has failed. The receiver of the next message takes that time for its own, and finds out
   with the one behind it. */
static void take_back(struct shadow *shadow, int dest, int tag)
{
  tell_that(shadow, dest, tag, VOID);
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
static void hear_of(struct shadow *shadow, int sender, int tag, uint64_t kind)
{
  uint64_t entered_ns = 0;
  if (!shadow || sender < 0 || sender == shadow->rank)
    return;
  uint64_t begin = own_begin();
  int late = overdue(shadow, sender, tag, 0), missing = late + 1;
  while (missing > 0 && take_stamp(shadow, sender, tag, &entered_ns)) {
    missing += entered_ns == VOID ? 1 : -1;
    if (entered_ns != VOID && (entered_ns & IN_PARTS) != kind)
      __atomic_store_n(&shadow->is_given_up, 1, __ATOMIC_RELAXED);
  }
  if (missing != late && (missing || late))
    overdue(shadow, sender, tag, missing - late);
  entered_ns &= ~IN_PARTS;
  if (!missing && entered_ns > sent_ns && !__atomic_load_n(&shadow->is_given_up, __ATOMIC_RELAXED))
    sent_ns = entered_ns;
  own_end(begin);
}

static void hear(struct shadow *shadow, int sender, int tag)
{
  hear_of(shadow, sender, tag, 0);
}

/* A message in parts that this process sends: how many parts it has, and how many are not ready. */
struct parts {
  struct parts *next;
  int is_taken, all, missing;
  uint64_t shadow;
  int dest, tag;
};

/* All there are, to be used again when their requests are freed. */
static struct parts *all_parts;

static struct parts *new_parts(void)
{
  struct parts *one = __atomic_load_n(&all_parts, __ATOMIC_ACQUIRE);
  while (one && __atomic_exchange_n(&one->is_taken, 1, __ATOMIC_ACQUIRE))
    one = one->next;
  if (one)
    return one;
  one = calloc(1, sizeof *one);
  if (!one)
    return NULL;
  one->is_taken = 1;
  one->next = __atomic_load_n(&all_parts, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&all_parts, &one->next, one, 0, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    continue;
  return one;
}

static int mirrored(const struct shadow *shadow, int tag)
{
  int *largest, is_there = 0;
  PMPI_Comm_get_attr(shadow->comm, MPI_TAG_UB, &largest, &is_there);
  return is_there ? *largest - tag : 32767 - tag;
}

/* After such a message is made. */
static struct parts *prepare_parts(MPI_Comm comm, int dest, int tag, int all)
{
  uint64_t key = key_of(comm);
  struct parts *parts = key ? new_parts() : NULL;
  if (!parts)
    return NULL;
  parts->shadow = key;
  parts->dest = dest;
  parts->tag = mirrored(shadow_by(key), tag);
  parts->all = all;
  return parts;
}

/* Before it is started. */
static void start_parts(struct parts *parts)
{
  if (parts)
    __atomic_store_n(&parts->missing, parts->all, __ATOMIC_RELEASE);
}

/* Before so many parts are said to be ready: the message is sent with the last of them. */
static void parts_are_ready(struct parts *parts, int ready)
{
  if (parts && __atomic_sub_fetch(&parts->missing, ready, __ATOMIC_ACQ_REL) == 0)
    tell_that(shadow_by(parts->shadow), parts->dest, parts->tag, pomp_mpi_entered_ns() | IN_PARTS);
}

/* After such a message is received. */
static void hear_parts(struct shadow *shadow, int sender, int tag)
{
  if (shadow && sender >= 0 && sender != shadow->rank)
    hear_of(shadow, sender, mirrored(shadow, tag), IN_PARTS);
}

static void free_parts(struct parts *parts)
{
  if (parts)
    __atomic_store_n(&parts->is_taken, 0, __ATOMIC_RELEASE);
}
