"""The state of a run at a moment: what EARL's queries answer, made of tables in one pass.

Memory follows the state, not the length of the trace: rows that are not open at the moment are
dropped as they come. A pass reads the whole trace, so ask for several moments at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from ._table import Rows, numpy

#: The tables that a state is made of, with the columns in which a row begins and ends.
_OPEN = {
    "visits": ("enter", "leave"),
    "forks": ("enter", "ended"),
    "barriers": ("enter", "leave"),
    "messages": ("sent", "received"),
    "collectives": ("begin", "end"),
    "tasks": ("created", "ended"),
}


@dataclass
class Held:
    """A lock that a location holds, and the locations that wait for it."""

    lock: int
    process: int
    #: The row of the acquisition, with its location.
    by: dict[str, Any]
    #: When it is given back; ``None`` if no other location acquires the lock later, because then
    #: the trace does not tell.
    released: Optional[int]
    #: The rows of those that wait, in the order in which they get the lock.
    waiters: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class State:
    """What is open at a moment. Rows are dictionaries with the columns of their tables."""

    time: int
    #: Open visits by location and task (0: the implicit task), the outermost one first.
    stacks: dict[tuple[int, int], list[dict[str, Any]]] = field(default_factory=dict)
    #: Parts of parallel regions by the location that forked and which of its forks.
    teams: dict[tuple[int, int], list[dict[str, Any]]] = field(default_factory=dict)
    #: Visits of barriers by the visit that arrives last.
    barriers: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    #: Messages that were sent and are not received.
    messages: list[dict[str, Any]] = field(default_factory=list)
    #: Parts in collective operations by communicator and number.
    collectives: dict[tuple[int, int], list[dict[str, Any]]] = field(default_factory=dict)
    #: Tasks that were created and have not begun.
    ready: list[dict[str, Any]] = field(default_factory=list)
    #: Tasks that have begun and are not done.
    active: list[dict[str, Any]] = field(default_factory=list)
    #: Locks that are held.
    locks: list[Held] = field(default_factory=list)

    def stack(self, location: int, task: int = 0) -> list[dict[str, Any]]:
        """The open visits of a location, or of a task on it, the outermost one first."""
        return self.stacks.get((location, task), [])

    def take(self, table: str, row: dict[str, Any]) -> None:
        """Takes a row that is open."""
        if table == "visits":
            self.stacks.setdefault((row["location"], row["task"]), []).append(row)
        elif table == "forks":
            self.teams.setdefault((row["master"], row["number"]), []).append(row)
        elif table == "barriers":
            self.barriers.setdefault(row["last"], []).append(row)
        elif table == "messages":
            self.messages.append(row)
        elif table == "collectives":
            self.collectives.setdefault((row["comm"], row["number"]), []).append(row)
        elif row["begun"] <= self.time:
            self.active.append(row)
        elif row["created"] > 0:
            self.ready.append(row)

    def order(self) -> None:
        """Brings rows into the order of time. Visits of one moment began in their order."""
        for stack in self.stacks.values():
            stack.sort(key=lambda row: (row["enter"], row["visit"]))
        self.messages.sort(key=lambda row: row["sent"])
        self.ready.sort(key=lambda row: row["created"])
        self.active.sort(key=lambda row: row["begun"])
        self.locks.sort(key=lambda held: (held.process, held.lock))


class _Locks:
    """Finds who holds locks at a moment: of each lock, the acquisitions around the moment."""

    def __init__(self, time: int) -> None:
        self._time = time
        #: The last acquisition before the moment, by process and lock.
        self._last: dict[tuple[int, int], dict[str, Any]] = {}
        #: The first one after it, which tells when the lock was given back.
        self._next: dict[tuple[int, int], dict[str, Any]] = {}
        self._waiters: dict[tuple[int, int], list[dict[str, Any]]] = {}

    def take(self, process: int, row: dict[str, Any]) -> None:
        key = (process, row["lock"])
        if row["acquired"] <= self._time:
            known = self._last.get(key)
            if known is None or known["order"] < row["order"]:
                self._last[key] = row
            return
        known = self._next.get(key)
        if known is None or row["order"] < known["order"]:
            self._next[key] = row
        if row["since"] <= self._time:
            self._waiters.setdefault(key, []).append(row)

    def held(self) -> Iterable[Held]:
        for (process, lock), row in self._last.items():
            after = self._next.get((process, lock))
            released = after["released"] if after is not None and after["released"] > 0 else None
            if released is not None and released <= self._time:
                continue
            waiters = sorted(self._waiters.get((process, lock), []), key=lambda it: it["order"])
            yield Held(lock, process, row, released, waiters)


def _row(rows: Rows, columns: list[list[Any]], at: int) -> dict[str, Any]:
    return {name: values[at] for name, values in zip(rows.columns, columns)}


def _open_at(begin: Any, end: Any, time: int) -> Sequence[int]:
    """The rows that begin at the moment or before, and end after it."""
    if numpy is not None:
        return ((begin <= time) & (end > time)).nonzero()[0].tolist()
    pairs = enumerate(zip(begin, end))
    return [at for at, (one, other) in pairs if one <= time < other]


def states_at(run: Any, times: Sequence[int], process_of: Sequence[int]) -> list[State]:
    """The states at some moments, from one pass over the trace."""
    states = [State(int(time)) for time in times]
    locks = [_Locks(state.time) for state in states]
    for table, location, batch in run.facts([*_OPEN, "locks"]):
        rows = Rows(batch)
        columns: list[list[Any]] = []
        if table == "locks":
            columns = [rows.values(name) for name in rows.columns]
            for at in range(len(rows)):
                row = _row(rows, columns, at)
                for of in locks:
                    of.take(process_of[location], row)
            continue
        begin, end = (rows[name] for name in _OPEN[table])
        for state in states:
            for at in _open_at(begin, end, state.time):
                columns = columns or [rows.values(name) for name in rows.columns]
                state.take(table, _row(rows, columns, at))
    for state, of in zip(states, locks):
        state.locks.extend(of.held())
        state.order()
    return states
