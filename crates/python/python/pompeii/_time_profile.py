"""Which regions locations are in, by bins of time: pipit's ``time_profile``, made of the events.

A location is in the innermost region that is open. While it executes an explicit task, this is the
innermost one of the task. One pass over the events, location by location; memory is that of the
bins and of the open regions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Optional

from ._table import Rows, Table

_SWITCH = ("ThreadTaskSwitch", "OmpTaskSwitch")
_COMPLETE = ("ThreadTaskComplete", "OmpTaskComplete")
#: The columns that tell which task an event is about. A number of 0 is an implicit task.
_TASK = ("team", "creator", "task")


class Bins:
    """Ticks by region and bin of time."""

    def __init__(self, begin: int, end: int, number: int) -> None:
        if number < 1:
            raise ValueError(f"{number} bins; expected at least 1")
        self._begin = begin
        #: The first tick of each bin, and the end of the last one.
        self.borders = [begin + (end - begin) * bin // number for bin in range(number + 1)]
        self.ticks: dict[int, list[int]] = {}

    def add(self, region: int, begin: int, end: int) -> None:
        """Adds the time from ``begin`` to ``end``."""
        begin, end = max(begin, self.borders[0]), min(end, self.borders[-1])
        if end <= begin:
            return
        row = self.ticks.setdefault(region, [0] * (len(self.borders) - 1))
        at = self._bin(begin)
        while begin < end:
            border = min(self.borders[at + 1], end)
            row[at] += border - begin
            begin, at = border, at + 1

    def _bin(self, time: int) -> int:
        length = self.borders[-1] - self._begin
        at = min((time - self._begin) * (len(self.borders) - 1) // length, len(self.borders) - 2)
        # Borders are rounded down, so the bin may be the next one.
        return at + 1 if self.borders[at + 1] <= time else at


class Stacks:
    """The open regions of a location, and which of them it is in."""

    def __init__(self) -> None:
        self._implicit: list[int] = []
        self._tasks: dict[tuple[Any, ...], list[int]] = {}
        self._current = self._implicit

    def region(self) -> Optional[int]:
        """The innermost region that is open. A task that has none is in that of its thread."""
        if self._current:
            return self._current[-1]
        return self._implicit[-1] if self._implicit else None

    def take(self, kind: str, region: Optional[int], task: tuple[Any, ...]) -> None:
        """Takes an event."""
        if kind == "Enter" and region is not None:
            self._current.append(region)
        elif kind == "Leave":
            if region in self._current:
                # Regions inside of it that were not left end with it.
                while self._current.pop() != region:
                    pass
        elif kind in _SWITCH:
            is_explicit = task[-1] != 0
            self._current = self._tasks.setdefault(task, []) if is_explicit else self._implicit
        elif kind in _COMPLETE:
            self._tasks.pop(task, None)
            self._current = self._implicit


def _events(batches: Iterator[Any]) -> Iterator[tuple[int, str, Optional[int], tuple[Any, ...]]]:
    """The events that change which region a location is in."""
    wanted = {"Enter", "Leave", *_SWITCH, *_COMPLETE}
    for batch in batches:
        rows = Rows(batch)
        columns = [rows.values(name) for name in ("time", "event", "region")]
        tasks = zip(*(rows.values(name) for name in _TASK))
        for time, kind, region, task in zip(*columns, tasks):
            if kind in wanted:
                yield time, kind, region, task


def fill(bins: Bins, run: Any, location: int) -> None:
    """Adds the time of a location."""
    stacks = Stacks()
    since, region = 0, None
    for time, kind, of, task in _events(run.events_of(location)):
        stacks.take(kind, of, task)
        now = stacks.region()
        if now != region:
            if region is not None:
                bins.add(region, since, time)
            since, region = time, now
    if region is not None:
        bins.add(region, since, bins.borders[-1])


def time_profile(run: Any, number: int) -> list[dict[str, Any]]:
    """For each bin its begin and end in seconds, and the seconds of each region by its label."""
    begin, end, rate = run.of_trace()
    bins = Bins(begin, max(end, begin + 1), number)
    for location in range(len(list(Table(run, "trace.locations")))):
        fill(bins, run, location)
    labels = [it["label"] for it in Table(run, "trace.regions")]
    largest = sorted(bins.ticks, key=lambda region: (-sum(bins.ticks[region]), region))
    return list(_rows(bins, largest, labels, rate))


def _rows(
    bins: Bins, regions: Sequence[int], labels: Sequence[str], rate: int
) -> Iterator[dict[str, Any]]:
    first = bins.borders[0]
    for bin, (begin, end) in enumerate(zip(bins.borders, bins.borders[1:])):
        row: dict[str, Any] = {"begin": (begin - first) / rate, "end": (end - first) / rate}
        for region in regions:
            label = labels[region]
            row[label] = row.get(label, 0) + bins.ticks[region][bin] / rate
        yield row
