"""An event of a trace, as EARL has it: what happened, and links to other events in both directions.

Links against the direction of time are set when an event comes. A link in the direction of time is
set when the other event comes; if a program asks for it earlier, the reader of the events goes on
until it has that event, and keeps what lies between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

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


class Instance:
    """What the members of a communicator do together: an operation, or a barrier of a team."""

    __slots__ = ("events", "members")

    def __init__(self, members: int, first: Event) -> None:
        #: How many take part.
        self.members = members
        #: The events of those that have come.
        self.events: list[Event] = [first]

    @property
    def is_complete(self) -> bool:
        """Whether all members have come."""
        return len(self.events) >= self.members


def _link(name: str, kinds: Sequence[str], doc: str) -> Any:
    """A link in the direction of time, of events of some kinds. For others it is ``None``."""
    slot = f"_{name}"

    def get(event: Event) -> Optional[Event]:
        found = getattr(event, slot)
        if found is None and event._reader is not None and KINDS.get(event.kind) in kinds:
            event._reader.go_on(event, name, lambda: getattr(event, slot) is not None)
            found = getattr(event, slot)
        return found

    return property(get, doc=doc)


class Event:
    """An event, with links to others. A link is ``None`` if the trace lacks the other event."""

    __slots__ = (
        "_after",
        "_complete",
        "_execution",
        "_instance",
        "_join",
        "_joined",
        "_leave",
        "_reader",
        "_receive",
        "_release",
        "acquire",
        "before",
        "call",
        "create",
        "enter",
        "fields",
        "fork",
        "kind",
        "location",
        "position",
        "region",
        "send",
        "task",
        "time",
    )

    leave: Optional[Event] = _link("leave", ["enter"], "Of an Enter: its Leave.")
    join: Optional[Event] = _link("join", ["fork"], "Of a fork: its join.")
    receive: Optional[Event] = _link("receive", ["send"], "Of a send: the receive of its message.")
    release: Optional[Event] = _link("release", ["acquire"], "Of an acquisition: the release.")
    after: Optional[Event] = _link(
        "after", ["acquire", "release"], "Of an event of a lock: the next one on the same lock."
    )
    execution: Optional[Event] = _link(
        "execution", ["task_create"], "Of a creation: the first switch to the task."
    )
    complete: Optional[Event] = _link(
        "complete", ["task_create"], "Of a creation: the end of the task."
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
        #: Of a Leave its Enter, of all others the innermost open Enter of the current task.
        self.enter: Optional[Event] = None
        #: Of a join: its fork.
        self.fork: Optional[Event] = None
        #: Of a receive: the send of its message.
        self.send: Optional[Event] = None
        #: Of the release of a lock: its acquisition.
        self.acquire: Optional[Event] = None
        #: Of an event of a lock: the one before it on the same lock. That one has no such link any
        #: more, so that the trace does not stay in memory.
        self.before: Optional[Event] = None
        #: Of a switch to a task and of its end: its creation.
        self.create: Optional[Event] = None
        self._leave: Optional[Event] = None
        self._join: Optional[Event] = None
        self._receive: Optional[Event] = None
        self._release: Optional[Event] = None
        self._after: Optional[Event] = None
        self._execution: Optional[Event] = None
        self._complete: Optional[Event] = None
        self._instance: Optional[Instance] = None
        self._joined: Any = None
        self._reader: Any = None

    def __repr__(self) -> str:
        return f"<{self.kind} at {self.time} on location {self.location}>"

    @property
    def members(self) -> list[Event]:
        """Of the end of a collective operation of MPI, which may be a non-blocking one, or of the
        Leave of a barrier of OpenMP: these events of all processes or threads that take part,
        itself included, in the order of time. Empty for all other events.
        """
        if self._instance is None:
            return []
        if not self._instance.is_complete and self._reader is not None:
            self._reader.go_on(self, "members", lambda: self._instance.is_complete)
        return sorted(self._instance.events, key=lambda event: event.position)

    def row(self, table: str) -> Optional[dict[str, Any]]:
        """Of a Leave that was just reached: the row of its visit in ``visits`` or ``barriers``.

        The row has the number of the visit and of its call path in all tables of the trace.
        ``None`` if there is no such row, or if the event is another one.
        """
        if self._joined is None or self.kind != "Leave" or self.enter is None:
            return None
        return self._joined.of_visit(table, (self.location, self.enter.time, self.time))
