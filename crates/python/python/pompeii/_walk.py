"""Events of all locations in the order of time, with EARL's links. An object of Python is made for
each event, so this is slow: tables are for long traces. Messages, barriers and tasks are linked by
the tables of these names, which need no rules about the order of requests.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional

from ._table import Rows

_ACQUIRE = ("ThreadAcquireLock", "OmpAcquireLock")
_RELEASE = ("ThreadReleaseLock", "OmpReleaseLock")
_FORK = ("ThreadFork", "OmpFork")
_JOIN = ("ThreadJoin", "OmpJoin")
#: Columns that each event has; all others are fields of some kinds.
_COMMON = ("location", "time", "event", "region")


class Event:
    """An event, with links to others. Links in the direction of time are set when they are known.

    ``enter``: of a Leave its Enter, of all others the innermost open Enter of the location.
    ``leave``: of an Enter its Leave. ``fork`` and ``join``: of each other. ``before``: of an event
    of a lock the event before it on the same lock, and ``after`` the reverse; ``before`` of that
    one is ``None``, so that the trace does not stay in memory.
    """

    __slots__ = (
        "after",
        "before",
        "enter",
        "fields",
        "fork",
        "join",
        "kind",
        "leave",
        "location",
        "position",
        "region",
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
        self.enter: Optional[Event] = None
        self.leave: Optional[Event] = None
        self.fork: Optional[Event] = None
        self.join: Optional[Event] = None
        self.before: Optional[Event] = None
        self.after: Optional[Event] = None

    def __repr__(self) -> str:
        return f"<{self.kind} at {self.time} on location {self.location}>"


class _Links:
    """What is open, to link events with."""

    def __init__(self, process_of: Sequence[int]) -> None:
        self._process_of = process_of
        self._stacks: dict[int, list[Event]] = {}
        self._forks: dict[int, list[Event]] = {}
        self._locks: dict[tuple[int, int], Event] = {}

    def take(self, event: Event) -> None:
        stack = self._stacks.setdefault(event.location, [])
        event.enter = stack[-1] if stack else None
        if event.kind == "Enter":
            stack.append(event)
        elif event.kind == "Leave":
            if event.enter is not None:
                event.enter.leave = event
                stack.pop()
        elif event.kind in _FORK:
            self._forks.setdefault(event.location, []).append(event)
        elif event.kind in _JOIN:
            forks = self._forks.get(event.location)
            if forks:
                event.fork = forks.pop()
                event.fork.join = event
        elif event.kind in _ACQUIRE or event.kind in _RELEASE:
            self._lock(event)

    def _lock(self, event: Event) -> None:
        key = (self._process_of[event.location], event.fields.get("lock", -1))
        before = self._locks.get(key)
        self._locks[key] = event
        if before is not None:
            before.before = None
            event.before, before.after = before, event


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
    links = _Links(process_of)
    streams = [_events_of(run, location) for location in sorted(set(locations))]
    merged = heapq.merge(*streams, key=lambda event: event.time)
    for position, event in enumerate(merged):
        event.position = position
        links.take(event)
        yield event
