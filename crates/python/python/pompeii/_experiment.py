"""What a run left, opened."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Union

from . import _command, _native, _plots, _views
from ._event import Event
from ._events import EventTable
from ._state import State, states_at
from ._table import Table
from ._time_profile import time_profile
from ._timeline import timeline
from ._walk import walk


def _table(name: str, doc: str) -> Any:
    return property(lambda self: Table(self._run, name), doc=doc)


class _TraceTables:
    """Tables that are made of a trace. Times are in ticks of the clock of the trace.

    A visit of a region has a number that no other visit of the trace has; 0 stands for none. All
    columns that say which visit have these numbers, so they join the tables. The numbers of call
    paths are those of the table ``calls``, and the same in all tables of an open trace. The numbers
    of regions and locations are those of ``trace.regions`` and ``trace.locations``.
    """

    _run: Any

    @property
    def events(self) -> EventTable:
        """Records: location, time, event, region, and their fields. Called, it has the events as
        objects with links: ``events(kinds=["receive"])``."""
        return EventTable(self._run, "trace.events")

    calls = _table("trace.calls", "Call paths: call, parent (its own number for a root), region.")
    visits = _table("trace.visits", "Visits of regions: enter, leave, call, parent, task.")
    fragments = _table("trace.fragments", "Fragments of explicit tasks, where they were executed.")
    forks = _table("trace.forks", "Parts of parallel regions: forked, enter, leave, joined.")
    barriers = _table("trace.barriers", "Visits of barriers: enter, latest arrival, wait.")
    locks = _table("trace.locks", "Acquisitions of locks: since, acquired, holder before, wait.")
    messages = _table("trace.messages", "Messages: the calls that sent and received them, bytes.")
    collectives = _table("trace.collectives", "Parts in collective operations, with waiting.")
    tasks = _table("trace.tasks", "Task instances: created, begun, ended, work, children.")
    waits = _table("trace.waits", "All waiting: visit, kind, begin, ticks, and who caused it.")


class Trace(_TraceTables):
    """The trace of a run."""

    regions = _table("trace.regions", "Regions: name, label, role, paradigm, file, lines.")
    locations = _table("trace.locations", "Locations: name, process, rank, node.")
    communicators = _table(
        "trace.communicators", "Members of communicators and teams: communicator, rank, location."
    )

    def __init__(self, run: Any) -> None:
        self._run = run
        self.begin, self.end, self.ticks_per_second = run.of_trace()

    def seconds(self, ticks: Any) -> Any:
        """A length in ticks, or an array of them, in seconds."""
        return ticks / self.ticks_per_second

    def walk(self, locations: Union[Iterable[int], None] = None) -> Iterator[Event]:
        """The events of all or some locations in the order of time, with links to each other."""
        processes = [it["process"] for it in self.locations]
        wanted = range(len(processes)) if locations is None else locations
        return walk(self._run, wanted, processes)

    def timeline(
        self,
        begin: Union[int, None] = None,
        end: Union[int, None] = None,
        interrupted: bool = True,
    ) -> list[dict[str, Any]]:
        """Boxes: when each location is in which region, by default in the whole trace, in ticks.

        A box has ``location``, ``region``, ``depth`` (0: the outermost one of its task), ``begin``,
        ``end`` and the explicit ``task``. The boxes of a task end while other tasks interrupt it.
        If ``interrupted`` is false, a box is as long as the visit of its region.
        """
        places = list(self.locations)
        process_of = [it["process"] for it in places]
        labels = [it["label"] for it in self.regions]
        window = (self.begin if begin is None else begin, self.end if end is None else end)
        events = walk(self._run, range(len(places)), process_of)
        return timeline(events, process_of, labels, window, interrupted)

    def state_at(self, time: int) -> State:
        """What is open at a time in ticks: stacks, teams, messages, locks with waiters, tasks."""
        return self.states_at([time])[0]

    def states_at(self, times: Sequence[int]) -> list[State]:
        """The same for several times, from one pass over the trace."""
        processes = [it["process"] for it in self.locations]
        return states_at(self._run, times, processes)


class Experiment(_TraceTables):
    """A run: its severities, and the tables of its trace if it has one."""

    metrics = _table("metrics", "Metrics: name, title, unit, parent. A value x scale is in unit.")
    call_paths = _table("call_paths", "Call paths of the severities: region, parent, depth.")
    regions = _table("regions", "Regions: name, label, role, paradigm, file, lines, clauses.")
    locations = _table("locations", "Locations: name, process, rank, node.")
    severities = _table(
        "severities",
        "Severities: metric, call, location, value. A value is the call path's own, without longer "
        "call paths, and contains the parts of the metric. Values that are 0 have no rows.",
    )

    def __init__(self, run: Any) -> None:
        self._run = run

    def __repr__(self) -> str:
        return f"<run {self.path}>"

    def _repr_html_(self) -> Union[str, None]:
        """The page of ``pompeii html``, for notebooks."""
        return _command.page(self.path)

    @property
    def path(self) -> str:
        """What was opened."""
        return os.fspath(self._run.path)

    @property
    def tables(self) -> list[str]:
        """The names of all tables; those of the trace begin with ``trace.``."""
        return self._run.tables

    def table(self, name: str) -> Table:
        """A table by its name."""
        if name not in self.tables:
            raise KeyError(f"no table `{name}`; expected one of {', '.join(self.tables)}")
        return Table(self._run, name)

    @property
    def has_trace(self) -> bool:
        """Whether there is a trace."""
        return self._run.has_trace

    @property
    def trace(self) -> Trace:
        """The trace. Without one this is an error."""
        return Trace(self._run)

    @property
    def program(self) -> str:
        """The name of the program."""
        return self._run.of_cube()[0]

    @property
    def wall_ticks(self) -> int:
        """The duration of the run, in ticks of the clock of the severities."""
        return self._run.of_cube()[1]

    @property
    def ticks_per_second(self) -> float:
        """The clock of the severities."""
        return self._run.of_cube()[2]

    def totals(self) -> dict[str, float]:
        """Each metric over all call paths and locations, in its unit.

        Its values are added, or combined as its row in ``metrics`` says.
        """
        return _views.totals(self._run)

    def path_of(self, call: int) -> list[str]:
        """The labels of the regions of a call path of the severities, the outermost one first."""
        labels = [region["label"] for region in self.regions]
        return _views.path_of(list(self.call_paths), labels, call)

    def flat_profile(self, metric: str = "execution") -> list[dict[str, Any]]:
        """Each region with its own values of a metric, the largest one first."""
        return _views.flat_profile(self._run, metric)

    def load_imbalance(self, metric: str = "comp") -> list[dict[str, Any]]:
        """Each region with the largest value of a location divided by the mean."""
        return _views.load_imbalance(self._run, metric)

    def comm_matrix(self, of: str = "bytes") -> list[list[int]]:
        """``matrix[sender][receiver]``: bytes from rank to rank, or messages (``count``)."""
        return _views.comm_matrix(self._run, of)

    def idle_time(self) -> list[dict[str, Any]]:
        """How long each location waited, from the trace."""
        return _views.idle_time(self._run)

    def critical_path(self) -> list[dict[str, Any]]:
        """How long call paths are on the critical path, from the trace. This analyzes the trace."""
        # A run without a trace is an error, which names the command that records one.
        self._run.of_trace()
        anchor = os.path.join(self.path, "traces.otf2")
        alone = _native.open(anchor) if os.path.isdir(self.path) else self._run
        return _views.critical_path(alone)

    def time_profile(self, bins: int = 50) -> list[dict[str, Any]]:
        """How long all locations together were in each region, by bins of time, in seconds."""
        return time_profile(self._run, bins)

    def to_hatchet(self, metrics: Sequence[str] = ("time",)) -> Any:
        """The call paths as a GraphFrame of Hatchet, each metric as its own value and inclusive."""
        return _views.graph_frame(self._run, metrics)

    def plot_time_profile(self, bins: int = 50, axes: Any = None) -> Any:
        """Draws ``time_profile`` with matplotlib, into new axes if there are none; returns them."""
        return _plots.time_profile(self.time_profile(bins), axes)

    def plot_timeline(
        self,
        begin: Union[int, None] = None,
        end: Union[int, None] = None,
        interrupted: bool = True,
        axes: Any = None,
    ) -> Any:
        """Draws ``trace.timeline`` with matplotlib, into new axes if there are none."""
        trace = self.trace
        names = [it["name"] for it in trace.locations]
        boxes = trace.timeline(begin, end, interrupted)
        return _plots.timeline(boxes, names, (trace.begin, trace.ticks_per_second), axes)

    def plot_comm_matrix(self, of: str = "bytes", axes: Any = None) -> Any:
        """Draws ``comm_matrix`` with matplotlib, into new axes if there are none; returns them."""
        return _plots.comm_matrix(self.comm_matrix(of), of, axes)

    def analyze(self, properties: Any) -> Any:
        """Finds properties of your own in the trace; see :class:`pompeii.Property`."""
        from .properties import analyze

        return analyze(self, properties)


def open(path: Union[str, os.PathLike[str]]) -> Experiment:
    """Opens an experiment, the anchor file of a trace (``traces.otf2``), or a Cube report.

    An experiment whose program has ended without finishing it is finished first. What is damaged is
    left out, with a warning.
    """
    run = _native.open(path)
    for note in run.notes:
        warnings.warn(note, stacklevel=2)
    return Experiment(run)


def run(
    command: Sequence[Union[str, os.PathLike[str]]],
    *,
    trace: bool = False,
    output: Union[str, os.PathLike[str], None] = None,
    options: Sequence[str] = (),
    check: bool = True,
) -> Experiment:
    """Measures a command, as ``pompeii run`` does, and opens the experiment.

    ``trace`` records a trace. ``output`` is the folder of the experiment, by default a new one in
    the current folder. ``options`` are further options of ``pompeii run``. If ``check`` is true and
    the command fails, this is a ``subprocess.CalledProcessError``.
    """
    if output is None:
        now = time.strftime("%Y%m%d_%H%M")
        output = os.path.abspath(f"pompeii-{now}_{secrets.token_hex(4)}")
    words = [_command.executable(), "run", "-o", os.fspath(output)]
    words += ["--trace"] if trace else []
    words += [*options, "--", *(os.fspath(word) for word in command)]
    subprocess.run(words, check=check)
    return open(output)
