"""When each location is in which region: the boxes of a timeline, with tasks that interrupt others.

While a task is suspended, so are its regions: their boxes end, and begin again when the task is
resumed (Schmidl et al., Performance Analysis Techniques for Task-Based OpenMP Applications, 2012,
section 5). Without this, the regions of a task also cover the time of the tasks that interrupt it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Optional

from ._event import Event
from ._walk import Tasks

#: A box: location, region, depth, begin, end, and the explicit task.
Box = tuple[int, Optional[int], int, int, int, Optional[tuple[int, int, int]]]


class _Interrupted:
    """Boxes that end when their task is suspended."""

    def __init__(self, process_of: Sequence[int]) -> None:
        self._process_of = process_of
        self._tasks: dict[int, Tasks] = {}
        #: By task: the regions that are open, each with the time when its box began.
        self._stacks: dict[Any, list[tuple[Optional[int], int]]] = {}

    def take(self, event: Event) -> Iterable[Box]:
        """The boxes that end at an event."""
        location, time = event.location, event.time
        tasks = self._tasks.get(location)
        if tasks is None:
            tasks = self._tasks[location] = Tasks(location, self._process_of[location])
        key, task = tasks.stack, tasks.current
        stack = self._stacks.setdefault(key, [])
        if event.kind == "Enter":
            stack.append((event.region, time))
        elif event.kind == "Leave" and stack:
            region, begin = stack.pop()
            yield location, region, len(stack), begin, time, task
        tasks.take(event)
        if tasks.stack == key:
            return
        for depth, (region, begin) in enumerate(stack):
            yield location, region, depth, begin, time, task
        if event.kind == "ThreadTaskComplete":
            del self._stacks[key]
        resumed = self._stacks.setdefault(tasks.stack, [])
        resumed[:] = [(region, time) for region, _ in resumed]


class _Nested:
    """Boxes from an Enter to its Leave, whatever comes between."""

    def __init__(self) -> None:
        self._open: dict[int, dict[Event, int]] = {}

    def take(self, event: Event) -> Iterable[Box]:
        """The box that ends at an event."""
        here = self._open.setdefault(event.location, {})
        if event.kind == "Enter":
            here[event] = len(here)
        elif event.kind == "Leave" and event.enter in here:
            enter, depth = event.enter, here.pop(event.enter)
            yield event.location, enter.region, depth, enter.time, event.time, enter.task


def timeline(
    events: Iterable[Event],
    process_of: Sequence[int],
    labels: Sequence[str],
    window: tuple[int, int],
    interrupted: bool,
) -> list[dict[str, Any]]:
    """The boxes in a window of time, in the order of their begin, the outer ones first."""
    first, last = window
    boxes = _Interrupted(process_of) if interrupted else _Nested()
    found = []
    for event in events:
        for location, region, depth, begin, end, task in boxes.take(event):
            begin, end = max(begin, first), min(end, last)
            if begin < end:
                found.append(
                    {
                        "location": location,
                        "region": "" if region is None else labels[region],
                        "depth": depth,
                        "begin": begin,
                        "end": end,
                        "task": task,
                    }
                )
    return sorted(found, key=lambda it: (it["begin"], it["location"], it["depth"]))
