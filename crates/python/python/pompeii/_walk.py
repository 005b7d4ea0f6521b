"""Events of all locations in the order of time, with EARL's links. An object of Python is made for
each event, so this is slow: tables are for long traces. Which message belongs to a receive, and
what a visit is called in the tables, come from the tables (`_joined.py`): these need no rules about
the order of requests.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Optional

from ._event import KINDS, Event, Instance
from ._joined import Joined
from ._table import Rows, Table

#: Columns that each event has; all others are fields of some kinds.
_COMMON = ("location", "time", "event", "region")
#: Roles of regions in which threads of a team meet.
_BARRIERS = ("barrier", "implicit barrier")


class Tasks:
    """Which task a location executes, and in which part of a parallel region."""

    def __init__(self, location: int, process: int) -> None:
        self._process = process
        #: Of each part: the stack of its implicit task, and the explicit tasks that have begun.
        self._parts: list[tuple[Any, list[tuple[int, int, int]]]] = [(location, [])]
        #: The teams of the parts, each with the number of the part among those in this team.
        self.teams: list[tuple[int, int]] = []
        self._begun: dict[int, int] = {}

    @property
    def current(self) -> Optional[tuple[int, int, int]]:
        """The explicit task."""
        tasks = self._parts[-1][1]
        return tasks[-1] if tasks else None

    @property
    def stack(self) -> Any:
        """What tells the call stack of the current task apart from all others."""
        task = self.current
        return self._parts[-1][0] if task is None else (self._process, *task)

    def take(self, event: Event) -> None:
        kind, tasks = event.kind, self._parts[-1][1]
        if kind == "ThreadTeamBegin":
            self._parts.append((self.stack, []))
            team = event.fields.get("team", -1)
            number = self._begun[team] = self._begun.get(team, 0) + 1
            self.teams.append((team, number))
        elif kind == "ThreadTeamEnd" and len(self._parts) > 1:
            self._parts.pop()
            self.teams.pop()
        elif kind == "ThreadTaskSwitch":
            task = _task_of(event)
            if task[2] == 0:
                tasks.clear()
            elif task in tasks:
                del tasks[tasks.index(task) + 1 :]
            else:
                tasks.append(task)
        elif kind == "ThreadTaskComplete" and self.current == _task_of(event):
            tasks.pop()


def _task_of(event: Event) -> tuple[int, int, int]:
    of = event.fields
    return (of.get("team", 0), of.get("creator", 0), of.get("task", 0))


#: Non-blocking collective operations that a location has begun and that count: a program may free
#: a request, and then its operation has no end.
_BEGUN_MAX = 10_000


class _Begun:
    """A non-blocking collective operation that a location has begun."""

    __slots__ = ("end", "request")

    def __init__(self, request: int) -> None:
        self.request = request
        #: The event that completes it, which has the communicator.
        self.end: Optional[Event] = None


class _Meetings:
    """Operations and barriers that the members of communicators and teams have together: the first
    one of each member belongs to the first ones of the others, and so on. Non-blocking operations
    count in the order in which a member begins them, and apart from the others.
    """

    def __init__(self, sizes: dict[int, int], barriers: Iterable[int]) -> None:
        #: The number of members of communicators and teams.
        self._sizes = sizes
        #: Regions that are barriers of OpenMP.
        self._barriers = frozenset(barriers)
        #: How many of a group a location has ended.
        self._counts: dict[tuple[Any, int], int] = {}
        #: Those that some members have not come to, by the group and their number.
        self._open: dict[tuple[Any, int], Instance] = {}
        #: Non-blocking operations of each location, until all that began before are complete.
        self._begun: dict[int, deque[_Begun]] = {}

    @classmethod
    def of_run(cls, run: Any) -> _Meetings:
        sizes: dict[int, int] = {}
        for row in Table(run, "trace.communicators"):
            sizes[row["communicator"]] = sizes.get(row["communicator"], 0) + 1
        regions = Table(run, "trace.regions")
        is_barrier = [it["role"] in _BARRIERS and it["paradigm"] == "openmp" for it in regions]
        return cls(sizes, (region for region, it in enumerate(is_barrier) if it))

    def take(self, event: Event, tasks: Tasks) -> None:
        if event.kind == "MpiCollectiveEnd":
            communicator = event.fields.get("communicator", -1)
            self._come(event, communicator, ("collective", communicator))
        elif event.kind == "Leave" and event.region in self._barriers:
            team, part = tasks.teams[-1] if tasks.teams else (-1, 0)
            self._come(event, team, ("barrier", team, part))
        elif event.kind == "NonBlockingCollectiveRequest":
            self._begin(event)
        elif event.kind == "NonBlockingCollectiveComplete":
            self._complete(event)

    def _begin(self, event: Event) -> None:
        begun = self._begun.setdefault(event.location, deque())
        begun.append(_Begun(event.fields.get("request", -1)))
        if len(begun) > _BEGUN_MAX:
            freed = next((it for it in begun if it.end is None), None)
            if freed is not None:
                begun.remove(freed)

    def _complete(self, event: Event) -> None:
        """Only the end names the communicator, so an operation gets its number when all that the
        location began before it are complete.
        """
        begun, request = self._begun.get(event.location, deque()), event.fields.get("request", -1)
        done = next((it for it in begun if it.request == request and it.end is None), None)
        if done is None:
            # The trace lacks the begin, so the others are unknown.
            event._instance = Instance(1, event)
            return
        done.end = event
        event._instance = Instance(self._sizes.get(event.fields.get("communicator", -1), 1), event)
        while begun and begun[0].end is not None:
            end = begun.popleft().end
            communicator = end.fields.get("communicator", -1)
            self._come(end, communicator, ("non-blocking", communicator))

    def _come(self, event: Event, communicator: int, group: Any) -> None:
        size = self._sizes.get(communicator, 1)
        own = Instance(size, event)
        event._instance = own
        if size == 1:
            return
        number = self._counts[group, event.location] = (
            self._counts.get((group, event.location), 0) + 1
        )
        instance = event._instance = self._open.setdefault((group, number), own)
        if instance is not own:
            instance.events.append(event)
        if instance.is_complete:
            del self._open[group, number]


class _Links:
    """What is open, to link events with."""

    def __init__(
        self,
        process_of: Sequence[int],
        joined: Optional[Joined] = None,
        meetings: Optional[_Meetings] = None,
    ) -> None:
        self._process_of = process_of
        self._joined = joined
        self._meetings = meetings
        self._tasks: dict[int, Tasks] = {}
        self._stacks: dict[Any, list[Event]] = {}
        self._forks: dict[int, list[Event]] = {}
        self._locks: dict[tuple[int, int], Event] = {}
        #: Creations of tasks that are not done, by process and task.
        self._creations: dict[tuple[int, tuple[int, int, int]], Event] = {}
        #: Sends that were not received, by what a row of the table ``messages`` has of them.
        self._sends: dict[tuple[int, ...], list[Event]] = {}

    def take(self, event: Event) -> None:
        location, kind = event.location, KINDS.get(event.kind)
        tasks = self._tasks.get(location)
        if tasks is None:
            tasks = self._tasks[location] = Tasks(location, self._process_of[location])
        event.task = tasks.current
        key = tasks.stack
        stack = self._stacks.setdefault(key, [])
        event.enter = stack[-1] if stack else None
        if kind == "enter":
            stack.append(event)
        elif kind == "leave":
            self._leave(event, key)
        elif kind == "fork":
            self._forks.setdefault(location, []).append(event)
        elif kind == "join":
            forks = self._forks.get(location)
            if forks:
                event.fork = forks.pop()
                event.fork._join = event
        elif kind in ("acquire", "release"):
            self._lock(event)
        elif kind in ("send", "receive"):
            self._message(event, kind)
        elif kind in ("task_create", "task_switch", "task_complete"):
            self._task(event, kind)
        if self._meetings is not None:
            self._meetings.take(event, tasks)
        tasks.take(event)

    def _leave(self, event: Event, key: Any) -> None:
        if event.enter is None:
            return
        event.enter._leave = event
        stack = self._stacks[key]
        stack.pop()
        if not stack:
            del self._stacks[key]

    def _lock(self, event: Event) -> None:
        key = (self._process_of[event.location], event.fields.get("lock", -1))
        before = self._locks.get(key)
        self._locks[key] = event
        if before is None:
            return
        event.before, before._after = before, event
        is_end = (KINDS[before.kind], KINDS[event.kind]) == ("acquire", "release")
        if is_end and before.location == event.location:
            event.acquire, before._release = before, event

    def _task(self, event: Event, kind: str) -> None:
        key = (self._process_of[event.location], _task_of(event))
        if kind == "task_create":
            self._creations[key] = event
            return
        create = self._creations.get(key)
        if create is None:
            return
        event.create = create
        if kind == "task_complete":
            create._complete = event
            del self._creations[key]
        elif create._execution is None:
            create._execution = event

    def _message(self, event: Event, kind: str) -> None:
        if self._joined is None:
            return
        tag, length = event.fields.get("tag", 0), event.fields.get("bytes", 0)
        if kind == "send":
            key = (event.location, event.time, tag, length)
            self._sends.setdefault(key, []).append(event)
            return
        sent = self._joined.of_receive((event.location, event.time, tag, length))
        sends = self._sends.get((*sent, tag, length)) if sent is not None else None
        if sends:
            event.send = sends.pop(0)
            event.send._receive = event
            if not sends:
                del self._sends[(*sent, tag, length)]


def _events_of(run: Any, location: int) -> Iterator[Event]:
    for batch in run.events_of(location):
        rows = Rows(batch)
        common = [rows.values(name) for name in _COMMON]
        others = [name for name in rows.columns if name not in _COMMON]
        fields = [(name, rows.values(name)) for name in others]
        fields = [(name, values) for name, values in fields if any(it is not None for it in values)]
        for at, values in enumerate(zip(*common)):
            event = Event(*values)
            for name, of in fields:
                if of[at] is not None:
                    event.fields[name] = of[at]
            yield event


class Reader:
    """The events of some locations in the order of time, then of locations.

    ``ahead`` is how many events it reads, and keeps, for links in the direction of time. With 0,
    such a link is ``None`` until the other event comes.
    """

    def __init__(
        self, run: Any, locations: Iterable[int], process_of: Sequence[int], ahead: int = 0
    ) -> None:
        chosen = sorted(set(locations))
        self._ahead = ahead
        self._joined = Joined(run, chosen)
        self._links = _Links(process_of, self._joined, _Meetings.of_run(run))
        streams = [_events_of(run, location) for location in chosen]
        self._events = enumerate(heapq.merge(*streams, key=lambda event: event.time))
        #: Events that have links and are not delivered.
        self._queue: deque[Event] = deque()

    def __iter__(self) -> Iterator[Event]:
        joined = self._joined
        while self._queue or self._read():
            event = self._queue.popleft()
            joined.now = event.time
            event._joined = joined
            yield event
            event._joined = None
            if event.kind == "Leave" and event.enter is not None:
                joined.forget((event.location, event.enter.time, event.time))
            if event.before is not None:
                # Otherwise all events of a lock would stay in memory.
                event.before.before = None

    def _read(self) -> bool:
        """Takes the next event; whether there is one."""
        for position, event in self._events:
            event.position = position
            if self._ahead:
                event._reader = self
            self._links.take(event)
            self._queue.append(event)
            return True
        return False

    def go_on(self, event: Event, link: str, is_known: Callable[[], bool]) -> None:
        """Reads until a link of an event is known, or the trace ends."""
        while not is_known():
            if len(self._queue) >= self._ahead:
                raise LookupError(
                    f"{event}: its link `{link}` is more than {self._ahead} events ahead; pass a "
                    "larger number as `ahead` to `events`, which needs more memory"
                )
            if not self._read():
                return


def walk(run: Any, locations: Iterable[int], process_of: Sequence[int]) -> Iterator[Event]:
    """The events of some locations in the order of time, then of locations."""
    return iter(Reader(run, locations, process_of))
