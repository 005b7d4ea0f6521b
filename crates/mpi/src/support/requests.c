/* ---- Requests of messages. */

static inline uint64_t isends(MPI_Comm comm, int dest, int tag, int64_t count, MPI_Datatype type)
{
  if (dest == MPI_PROC_NULL)
    return 0;
  uint64_t id = pomp_mpi_isend(H(comm), dest, tag, bytes_of(count, type));
  if (has_stamps())
    tell(shadow_of(comm), dest, tag);
  return id;
}

static inline uint64_t ireceives(int source)
{
  return source == MPI_PROC_NULL ? 0 : pomp_mpi_irecv();
}

static void posted(const void *request, uint64_t id, int kind, uint64_t comm, int result, int f)
{
  if (id != 0 && result != MPI_SUCCESS)
    pomp_mpi_failed();
  if (id == 0 || result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request made = { .handle = H(request_at(request, 0, f)), .id = id, .comm = comm,
    .kind = kind };
  if (has_stamps() && kind == POMP_MPI_RECEIVE)
    made.own = key_of((MPI_Comm)(uintptr_t)comm);
  pomp_mpi_request(&made);
}

/* After a non-blocking send. */
static void isent(const void *request, uint64_t id, MPI_Comm comm, int dest, int tag, int result,
                  int f)
{
  posted(request, id, POMP_MPI_SEND, H(comm), result, f);
  if (has_stamps() && result != MPI_SUCCESS)
    take_back(shadow_of(comm), dest, tag);
}

static void prepared(const void *request, int kind, MPI_Comm comm, int partner, int tag,
                     uint64_t bytes, uint64_t own, int result, int f)
{
  if (partner == MPI_PROC_NULL || result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request made = { .handle = H(request_at(request, 0, f)), .comm = H(comm),
    .kind = kind, .persistent = 1, .partner = partner, .tag = tag, .sent = bytes,
    .own = own };
  pomp_mpi_request(&made);
}

/* To be sent in parts of so many bytes each. */
static void prepared_in_parts(const void *request, MPI_Comm comm, int dest, int tag, int parts,
                              uint64_t bytes, int result, int f)
{
  struct parts *own = NULL;
  if (has_stamps() && result == MPI_SUCCESS && dest != MPI_PROC_NULL)
    own = prepare_parts(comm, dest, tag, parts);
  prepared(request, POMP_MPI_SEND_IN_PARTS, comm, dest, tag, (uint64_t)parts * bytes,
           (uintptr_t)own, result, f);
}

/* What belongs to a request of one of these kinds. */
static struct meeting *meeting_of(uint64_t request)
{
  return (struct meeting *)(uintptr_t)pomp_mpi_request_own(request, POMP_MPI_ICOLLECTIVE);
}

static struct parts *parts_of(uint64_t request)
{
  return (struct parts *)(uintptr_t)pomp_mpi_request_own(request, POMP_MPI_SEND_IN_PARTS);
}

static inline void readies(MPI_Request request, int parts)
{
  if (has_stamps())
    parts_are_ready(parts_of(H(request)), parts);
}

/* The stamp of a send that is started, or what takes it back. */
static void tell_request(uint64_t request, void (*what)(struct shadow *, int, int))
{
  uint64_t key;
  int dest, tag;
  if (has_stamps() && pomp_mpi_request_send(request, &key, &dest, &tag))
    what(shadow_by(key), dest, tag);
}

/* Before requests are started: what has to be known of each where that fails. */
static uint64_t *starts(struct scratch *scratch, int count, const void *requests, int f)
{
  uint64_t *before =
    count > 0 ? room(scratch, OF_REQUESTS, sizeof(uint64_t) * (size_t)count) : NULL;
  for (int i = 0; before && i < count; i++) {
    uint64_t handle = H(request_at(requests, i, f));
    before[i] = pomp_mpi_request_start(handle);
    if (has_stamps() && !before[i])
      start_parts(parts_of(handle));
    tell_request(handle, tell);
  }
  return before;
}

static void started(const uint64_t *before, int count, const void *requests, int result, int f)
{
  if (result != MPI_SUCCESS)
    pomp_mpi_failed();
  for (int i = 0; before && i < count && (settings.waits || result != MPI_SUCCESS); i++) {
    uint64_t handle = H(request_at(requests, i, f));
    if (result == MPI_SUCCESS) {
      start_meeting(meeting_of(handle));
    } else {
      tell_request(handle, take_back);
      pomp_mpi_request_not_started(handle, before[i]);
    }
  }
}

static void freeing_request(const void *request, int f)
{
  uint64_t handle = H(request_at(request, 0, f));
  if (settings.waits) {
    free_meeting(meeting_of(handle));
    free_parts(parts_of(handle));
  }
  pomp_mpi_request_free(handle);
}

static void communicator(uint32_t id, MPI_Comm comm);

/* A request that is done with; `status` belongs to it. */
static void completed(const struct pomp_mpi_known *request, const void *status, int f)
{
  int cancelled = request->cancelled;
  uint32_t new_comm = 0;
  struct message message = { 0, 0, 0 };
  if (request->kind == POMP_MPI_UNKNOWN)
    return;
  if (cancelled) {
    MPI_Status own;
    if (f)
      PMPI_Status_f2c((MPI_Fint *)status, &own);
    PMPI_Test_cancelled(f ? &own : (MPI_Status *)status, &cancelled);
  }
  if (cancelled) {
    pomp_mpi_request_cancelled(request);
    return;
  }
  if (request->kind == POMP_MPI_RECEIVE || request->kind == POMP_MPI_RECEIVE_IN_PARTS)
    message = received_with(status, f);
  if (request->kind == POMP_MPI_FILE_REQUEST)
    message.bytes = bytes_in(status, f);
  if (has_stamps() && request->kind == POMP_MPI_RECEIVE)
    hear(shadow_by(request->own), message.sender, message.tag);
  if (has_stamps() && request->kind == POMP_MPI_RECEIVE_IN_PARTS)
    hear_parts(shadow_by(request->own), message.sender, message.tag);
  if (settings.waits && request->kind == POMP_MPI_ICOLLECTIVE) {
    uint64_t until_ns = have_met((struct meeting *)(uintptr_t)request->own);
    met_ns = until_ns > met_ns ? until_ns : met_ns;
  }
  void *place = pomp_mpi_request_complete(request, message.sender, message.tag, message.bytes,
                                          &new_comm);
  if (place) {
    have_duplicate((struct duplicate *)(uintptr_t)request->own, comm_at(place, f));
    communicator(new_comm, comm_at(place, f));
  }
}

/* What is known of the requests before a call that may complete them. */
static struct pomp_mpi_known *before_call(struct scratch *scratch, int count, const void *requests,
                                          int f)
{
  struct pomp_mpi_known *saved =
    count > 0 ? room(scratch, OF_REQUESTS, sizeof(struct pomp_mpi_known) * (size_t)count) : NULL;
  for (int i = 0; saved && i < count; i++) {
    MPI_Request request = request_at(requests, i, f);
    saved[i].kind = POMP_MPI_UNKNOWN;
    if (request != MPI_REQUEST_NULL)
      pomp_mpi_request_find(H(request), &saved[i]);
  }
  return saved;
}

/* Statuses, where the program wants none. */
static void *own_statuses(struct scratch *scratch, int count, void *statuses, int f)
{
  if (count <= 0 || !is_ignored(statuses, f))
    return statuses;
  void *own = room(scratch, OF_STATUSES, sizeof(MPI_Status) * (size_t)count);
  return own ? own : statuses;
}

static const void *status_at(const void *statuses, int index)
{
  return (const char *)statuses + sizeof(MPI_Status) * (size_t)index;
}

/* Whether this one of several is complete. */
static int is_complete(const void *status, int result, int f)
{
  int class = MPI_SUCCESS;
  if (result == MPI_SUCCESS)
    return 1;
  PMPI_Error_class(result, &class);
  if (class != MPI_ERR_IN_STATUS)
    return 0;
  MPI_Status own;
  if (f)
    PMPI_Status_f2c((MPI_Fint *)status, &own);
  return has_received(f ? own.MPI_ERROR : ((const MPI_Status *)status)->MPI_ERROR);
}

static void all_completed(const struct pomp_mpi_known *saved, int count, const void *statuses, int result,
                          int f)
{
  for (int i = 0; saved && !is_ignored(statuses, f) && i < count; i++)
    if (is_complete(status_at(statuses, i), result, f))
      completed(&saved[i], status_at(statuses, i), f);
  heard();
}

static void some_completed(const struct pomp_mpi_known *saved, int count, const int *indices,
                           const void *statuses, int result, int f)
{
  for (int i = 0; saved && !is_ignored(statuses, f) && i < count; i++)
    if (is_complete(status_at(statuses, i), result, f))
      completed(&saved[indices[i] - f], status_at(statuses, i), f);
  heard();
}

static void one_completed(const struct pomp_mpi_known *saved, int index, const void *status, int result, int f)
{
  if (saved && index != MPI_UNDEFINED && has_received(result))
    completed(&saved[index - f], status, f);
  heard();
}

static void tested(const struct pomp_mpi_known *saved, int count)
{
  for (int i = 0; saved && i < count; i++)
    pomp_mpi_request_tested(&saved[i]);
}

/* Matched by a probe; to be received with a call of its own. */
static void matched(const void *message, MPI_Comm comm, int result, int f)
{
  if (result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request made = { .handle = H(message_at(message, f)), .comm = H(comm),
    .kind = POMP_MPI_MESSAGE };
  pomp_mpi_request(&made);
}

static void received_matched(uint64_t comm, const void *status, int result, int f)
{
  struct message message = received_with(status, f);
  if (comm == 0 || !has_received(result) || message.sender < 0)
    return;
  if (has_stamps())
    hear(shadow_of((MPI_Comm)(uintptr_t)comm), message.sender, message.tag);
  heard();
  pomp_mpi_recv(comm, message.sender, message.tag, message.bytes);
}

