"""Rows of tables for events that come in the order of time. The analysis of the trace runs next to
the events, and goes on as far as an event needs a row. Rows of visits that have ended are dropped,
so memory follows what is open, not the length of the trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

from ._table import Rows

#: The location, the begin and the end of a visit.
Visit = tuple[int, int, int]
#: Location, time, tag and length in bytes of a send or a receive.
Message = tuple[int, int, int, int]

_TABLES = ("visits", "barriers", "messages")


class Joined:
    """The rows that are complete and that `row` returns."""

    def __init__(self, run: Any, locations: Iterable[int]) -> None:
        self._run = run
        self._locations = frozenset(locations)
        self._facts: Any = None
        self._has_ended = False
        #: The time of the current event. Callers want no visit that has ended before.
        self.now = 0
        self._visits: dict[str, dict[Visit, list[dict[str, Any]]]] = {"visits": {}, "barriers": {}}
        #: Of messages that were received at a time: the sender and the time of the send.
        self._messages: dict[Message, list[tuple[int, int]]] = {}
        #: What of the trace could not be read, when all rows have come.
        self.problems: list[str] = []

    def of_visit(self, table: str, visit: Visit) -> Optional[dict[str, Any]]:
        """The row of a visit that ends now."""
        if table not in self._visits:
            raise KeyError(f"no rows of `{table}`; expected one of {', '.join(self._visits)}")
        rows = self._visits[table]
        while visit not in rows and self._pull():
            pass
        found = rows.get(visit)
        return found[0] if found else None

    def of_receive(self, receive: Message) -> Optional[tuple[int, int]]:
        """The location and the time of the send whose message is received now."""
        while receive not in self._messages and self._pull():
            pass
        found = self._messages.get(receive)
        if not found:
            return None
        send = found.pop(0)
        if not found:
            del self._messages[receive]
        return send

    def of_open(self, location: int, enter: int) -> Optional[dict[str, Any]]:
        """The row of a visit that has no Leave: the last one that began at this time."""
        while self._pull():
            pass
        rows = self._visits["visits"].items()
        found = [of[0] for (at, begin, _), of in rows if (at, begin) == (location, enter)]
        return max(found, key=lambda row: row["visit"], default=None)

    def forget(self, visit: Visit) -> None:
        """Drops the rows of a visit that has ended."""
        for rows in self._visits.values():
            found = rows.get(visit)
            if found is not None:
                found.pop(0)
                if not found:
                    del rows[visit]

    def _pull(self) -> bool:
        """Takes the next batch; whether there was one."""
        if self._has_ended:
            return False
        if self._facts is None:
            self._facts = self._run.facts(list(_TABLES))
        for table, location, batch in self._facts:
            if location in self._locations:
                self._drop_ended()
                self._take(table, location, Rows(batch))
            return True
        self._has_ended, self.problems = True, self._facts.problems
        return False

    def _drop_ended(self) -> None:
        """Drops the rows that no caller has taken in time."""
        for rows in self._visits.values():
            for visit in [it for it in rows if it[2] < self.now]:
                del rows[visit]
        for receive in [it for it in self._messages if it[1] < self.now]:
            del self._messages[receive]

    def _take(self, table: str, location: int, rows: Rows) -> None:
        names = rows.columns
        for values in zip(*(rows.values(name) for name in names)):
            row = dict(zip(names, values))
            if table == "messages":
                key = (location, row["received"], row["tag"], row["bytes"])
                self._messages.setdefault(key, []).append((row["sender"], row["sent"]))
            else:
                key = (location, row["enter"], row["leave"])
                self._visits[table].setdefault(key, []).append(row)
