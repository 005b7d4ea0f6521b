"""Events of all locations in the order of time, with EARL's links. An object of Python is made for
each event, so this is slow: tables are for long traces. Which message belongs to a receive, and
what a visit is called in the tables, come from the tables (`_joined.py`): these need no rules about
the order of requests.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional

from ._joined import Joined
from ._table import Rows

#: The kinds of records with links, by EARL's names for them.
KINDS = {
    "Enter": "enter",
    "Leave": "leave",
    "MpiSend": "send",
    "MpiIsend": "send",
    "MpiRecv": "receive",
    "MpiIrecv": "receive",
    "ThreadFork": "fork",
    "OmpFork": "fork",
    "ThreadJoin": "join",
    "OmpJoin": "join",
    "ThreadAcquireLock": "acquire",
    "OmpAcquireLock": "acquire",
    "ThreadReleaseLock": "release",
    "OmpReleaseLock": "release",
    "MpiCollectiveEnd": "collective",
    "ThreadTaskCreate": "task_create",
    "ThreadTaskSwitch": "task_switch",
    "ThreadTaskComplete": "task_complete",
}
#: Columns that each event has; all others are fields of some kinds.
_COMMON = ("location", "time", "event", "region")


class Event:
    """An event, with links to others. Links in the direction of time are set when they are known.

    ``enter``: of a Leave its Enter, of all others the innermost open Enter of the current task.
    ``leave``: of an Enter its Leave. ``fork`` and ``join``: of each other. ``send`` of a receive
    and ``receive`` of a send. ``before``: of an event of a lock the event before it on the same
    lock, and ``after`` the reverse; ``before`` of that one is ``None``, so that the trace does not
    stay in memory.
    """

    __slots__ = (
        "_joined",
        "after",
        "before",
        "call",
        "enter",
        "fields",
        "fork",
        "join",
        "kind",
        "leave",
        "location",
        "position",
        "receive",
        "region",
        "send",
        "task",
        "time",
    )

    def __init__(self, location: int, time: int, kind: str, region: Optional[int]) -> None:
        self.location = location
        self.time = time
        #: The kind of the record, by its name in OTF2.
        self.kind = kind
        self.region = region
        #: The values of the other columns of the table ``events`` that this kind has.
        self.fields: dict[str, int] = {}
        #: The number in the order of time, from 0 on.
        self.position = -1
        #: The explicit task that is executed: team, creating thread and number, else ``None``.
        self.task: Optional[tuple[int, int, int]] = None
        #: Of an Enter whose visit has ended while properties are found: its call path.
        self.call: Optional[int] = None
        self.enter: Optional[Event] = None
        self.leave: Optional[Event] = None
        self.fork: Optional[Event] = None
        self.join: Optional[Event] = None
        self.send: Optional[Event] = None
        self.receive: Optional[Event] = None
        self.before: Optional[Event] = None
        self.after: Optional[Event] = None
        self._joined: Optional[Joined] = None

    def __repr__(self) -> str:
        return f"<{self.kind} at {self.time} on location {self.location}>"

    def row(self, table: str) -> Optional[dict[str, Any]]:
        """Of a Leave that was just reached: the row of its visit in ``visits`` or ``barriers``.

        The row has the number of the visit and of its call path in all tables of the trace.
        ``None`` if there is no such row, or if the event is another one.
        """
        if self._joined is None or self.kind != "Leave" or self.enter is None:
            return None
        return self._joined.of_visit(table, (self.location, self.enter.time, self.time))


class _Tasks:
    """Which task a location executes, and in which part of a parallel region."""

    def __init__(self, location: int, process: int) -> None:
        self._process = process
        #: Of each part: the stack of its implicit task, and the explicit tasks that have begun.
        self._parts: list[tuple[Any, list[tuple[int, int, int]]]] = [(location, [])]

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
        elif kind == "ThreadTeamEnd" and len(self._parts) > 1:
            self._parts.pop()
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


class _Links:
    """What is open, to link events with."""

    def __init__(self, process_of: Sequence[int], joined: Optional[Joined] = None) -> None:
        self._process_of = process_of
        self._joined = joined
        self._tasks: dict[int, _Tasks] = {}
        self._stacks: dict[Any, list[Event]] = {}
        self._forks: dict[int, list[Event]] = {}
        self._locks: dict[tuple[int, int], Event] = {}
        #: Sends that were not received, by what a row of the table ``messages`` has of them.
        self._sends: dict[tuple[int, ...], list[Event]] = {}

    def take(self, event: Event) -> None:
        location, kind = event.location, KINDS.get(event.kind)
        tasks = self._tasks.get(location)
        if tasks is None:
            tasks = self._tasks[location] = _Tasks(location, self._process_of[location])
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
                event.fork.join = event
        elif kind in ("acquire", "release"):
            self._lock(event)
        elif kind in ("send", "receive"):
            self._message(event, kind)
        tasks.take(event)

    def _leave(self, event: Event, key: Any) -> None:
        if event.enter is None:
            return
        event.enter.leave = event
        stack = self._stacks[key]
        stack.pop()
        if not stack:
            del self._stacks[key]

    def _lock(self, event: Event) -> None:
        key = (self._process_of[event.location], event.fields.get("lock", -1))
        before = self._locks.get(key)
        self._locks[key] = event
        if before is not None:
            before.before = None
            event.before, before.after = before, event

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
            event.send.receive = event
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


def walk(run: Any, locations: Iterable[int], process_of: Sequence[int]) -> Iterator[Event]:
    """The events of some locations in the order of time, then of locations."""
    chosen = sorted(set(locations))
    joined = Joined(run, chosen)
    links = _Links(process_of, joined)
    streams = [_events_of(run, location) for location in chosen]
    merged = heapq.merge(*streams, key=lambda event: event.time)
    for position, event in enumerate(merged):
        event.position = position
        joined.now = event.time
        links.take(event)
        event._joined = joined
        yield event
        event._joined = None
        if event.kind == "Leave" and event.enter is not None:
            joined.forget((event.location, event.enter.time, event.time))
