"""Properties that take a trace event by event, as those of EXPERT do: callbacks for kinds of
events, and links from an event to others.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, Optional

from ._display import with_more
from ._event import KINDS, Event

#: The names of callbacks, each with ``on_`` before it. ``event`` gets the events of all kinds.
CALLBACKS = (*dict.fromkeys(KINDS.values()), "event")


def callbacks_of(of: Any) -> dict[str, Any]:
    """The callbacks of a property, by the kinds of events that they get."""
    found = {}
    for name, method in inspect.getmembers(of, callable):
        if not name.startswith("on_"):
            continue
        if name[3:] not in CALLBACKS:
            known = ", ".join(f"on_{it}" for it in CALLBACKS)
            raise ValueError(f"{type(of).__name__}: no callback `{name}`; expected one of {known}")
        found[name[3:]] = method
    return found


def checked(value: Any) -> int:
    """A severity, as an integer."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"the value {value} is not a number")
    whole = int(value)
    if whole != value:
        raise ValueError(f"the value {value} is not a whole number of ticks; round the values")
    if whole < 0:
        raise ValueError(f"the value {whole} is negative")
    return whole


class Severities:
    """Adds severities of properties to the visits of events, and in the end to call paths."""

    def __init__(self) -> None:
        #: The call paths of visits that have ended while others still may add to them.
        self._open: dict[Event, dict[Any, int]] = {}

    def add(self, running: Any, event: Event, value: Any) -> None:
        """Adds to the visit that an event is in, of an Enter or a Leave to its own."""
        number = checked(value)
        enter = event if event.kind == "Enter" else event.enter
        if enter is None:
            raise ValueError(f"{event} is outside of all regions, so it has no call path")
        if enter.call is not None:
            running.add(enter.call, enter.location, number)
            return
        values = self._open.setdefault(enter, {})
        values[running] = with_more(running.of, values.get(running, 0), number)

    def end(self, enter: Event, row: Optional[dict[str, Any]]) -> None:
        """The visit has ended. Without a row its values stay where they cannot be added."""
        values = self._open.pop(enter, None)
        if row is None:
            for running in values or ():
                running.error = running.error or (
                    f"{type(running.of).__name__}: no call path is known for {enter}, because the "
                    "trace is damaged there"
                )
            return
        enter.call = row["call"]
        for running, value in (values or {}).items():
            running.add(enter.call, enter.location, value)

    def still_open(self) -> list[Event]:
        """Visits with values that have no Leave."""
        return list(self._open)


class ByEvents:
    """A property with callbacks while it is found."""

    def __init__(self, of: Any, severities: Severities) -> None:
        self.of = of
        self._severities = severities
        self._callbacks = callbacks_of(of)
        #: By call path and location.
        self.values: dict[tuple[int, int], int] = {}
        self.error: Optional[str] = None
        of.add = self._add

    def _add(self, event: Event, value: Any) -> None:
        self._severities.add(self, event, value)

    def add(self, call: int, location: int, value: int) -> None:
        """Adds to a call path of a location."""
        key = (call, location)
        self.values[key] = with_more(self.of, self.values.get(key, 0), value)

    def take(self, event: Event) -> None:
        """Calls the callbacks for an event, or ends with an error that says where."""
        for name in (KINDS.get(event.kind), "event"):
            callback = self._callbacks.get(name)
            if callback is None or self.error is not None:
                continue
            try:
                callback(event)
            except Exception as error:
                place = f"on_{name}, event {event.position}: {event}"
                self.error = f"{type(self.of).__name__}: {type(error).__name__} in {place}: {error}"


def find(trace: Any, found: list[ByEvents], severities: Severities) -> list[str]:
    """Calls all properties for all events of a trace; returns what could not be read."""
    if not found:
        return []
    joined = None
    for event in trace.walk():
        joined = event._joined
        for it in found:
            it.take(event)
        if event.kind == "Leave" and event.enter is not None:
            severities.end(event.enter, event.row("visits"))
    for enter in severities.still_open():
        severities.end(enter, joined.of_open(enter.location, enter.time))
    return joined.problems if joined is not None else []
