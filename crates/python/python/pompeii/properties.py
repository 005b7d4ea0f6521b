"""Properties of your own, found in the tables of a trace.

    class SlowestArrival(pompeii.Property):
        \"\"\"Time that a thread waits at a barrier for the last one.\"\"\"
        name = "my_barrier_wait"
        parent = "omp_time"

        def severity(self, t):
            w = t.barriers
            return (w.latest - w.enter).clip(0)

    x.analyze([SlowestArrival]).totals()

``severity`` gets rows of one table and returns a number for each row: ticks of the clock of the
trace, or a count. The engine calls it batch by batch, so memory does not follow the length of the
trace. Each number belongs to the call path and the location of its row.

A property may also take the trace event by event, which is slow:

    class Late(pompeii.Property):
        \"\"\"Time of receives until the message is sent.\"\"\"
        name = "my_late_sender"

        def on_receive(self, event):
            self.add(event, max(event.send.enter.time - event.enter.time, 0))
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Optional, Union

from ._callbacks import ByEvents, Severities, callbacks_of, find
from ._display import Combined, Number, check, with_more
from ._event import Event
from ._table import Rows, numpy

#: Tables whose rows belong to a call path and a location.
TABLES = (
    "visits",
    "forks",
    "barriers",
    "locks",
    "messages",
    "collectives",
    "tasks",
    "waits",
)

_UNITS = ("sec", "occ", "bytes")


class Property:
    """A property. A class of your own has these attributes, and ``severity`` or callbacks.

    A callback is a method ``on_KIND(self, event)`` with a kind of ``pompeii.CALLBACKS``, for
    example ``on_leave``. It gets each :class:`pompeii.Event` of its kind, in the order of time.
    """

    #: The unique name.
    name: str = ""
    #: The name for people.
    title: str = ""
    #: The property that this one is a part of.
    parent: Optional[str] = None
    #: What a value is: ``sec`` for ticks, ``occ`` for a count, ``bytes``.
    unit: str = "sec"
    #: How reports combine the values of call paths on a location: ``sum``, ``maximum`` or ``mean``.
    #: A maximum is also one over the visits of a call path. A mean is that of the call paths that
    #: have a value.
    over_call_paths: str = "sum"
    #: How reports combine the values of locations: ``sum``, ``maximum`` or ``mean``.
    over_locations: str = "sum"
    #: The property whose total is 100 %, for example ``time``. Its locations are combined in the
    #: way of ``over_locations``.
    percent_of: Optional[str] = None

    def severity(self, t: Any) -> Any:
        """A number for each row of one table of ``t``, for example of ``t.barriers``."""
        raise NotImplementedError

    def add(self, event: Event, value: int) -> None:
        """For callbacks: adds a number to the call path and the location that an event has."""
        raise RuntimeError("a property adds values while `analyze` calls its callbacks")


class _Wants(Exception):
    """A property wants the rows of a table."""


class _Probe:
    """Tells which table a property takes."""

    def __getattr__(self, name: str) -> Any:
        raise _Wants(name)


class _Tables:
    """The rows of one table, by its name."""

    def __init__(self, table: str, rows: Rows) -> None:
        self._table = table
        self._rows = rows

    def __getattr__(self, name: str) -> Rows:
        if name == self._table:
            return self._rows
        raise AttributeError(
            f"a property takes the rows of one table: first `{self._table}`, then `{name}`"
        )


class _Running:
    """A property while it is found."""

    def __init__(self, of: Property) -> None:
        self.of = of
        self.table = _table_of(of)
        #: By call path and location.
        self.values: dict[tuple[int, int], int] = {}
        self.error: Optional[str] = None

    def take(self, location: int, rows: Rows) -> None:
        """Adds the severities of a batch, or ends with an error that says where."""
        if self.error is not None:
            return
        try:
            numbers = _checked(self.of.severity(_Tables(self.table, rows)), len(rows))
        except Exception as error:
            place = f"a batch of {len(rows)} rows of `{self.table}` at location {location}"
            kind = type(error).__name__
            self.error = f"{type(self.of).__name__}: {kind} in {place}: {error}"
            return
        for call, number in _by_call(self.of, rows, numbers):
            key = (call, location)
            self.values[key] = with_more(self.of, self.values.get(key, 0), number)


def _check_names(made: list[Property]) -> None:
    for of in made:
        name = type(of).__name__
        if not of.name:
            raise ValueError(f"{name}: a property needs a name")
        if of.unit not in _UNITS:
            raise ValueError(f"{name}: unit `{of.unit}`; expected one of {', '.join(_UNITS)}")
    names = [it.name for it in made]
    if len(set(names)) != len(names):
        raise ValueError(f"two properties have the same name: {', '.join(sorted(names))}")
    check(made)


def _table_of(of: Property) -> str:
    name = type(of).__name__
    try:
        of.severity(_Probe())
    except _Wants as wanted:
        table = str(wanted)
    else:
        raise ValueError(f"{name}: `severity` takes no table; expected for example `t.barriers`")
    if table not in TABLES:
        raise ValueError(f"{name}: no table `{table}`; expected one of {', '.join(TABLES)}")
    return table


def _checked(values: Any, rows: int) -> Any:
    """The values as integers, one for each row."""
    if numpy is not None:
        values = numpy.asarray(values)
        if values.shape != (rows,):
            raise ValueError(f"values of shape {values.shape}; expected ({rows},)")
        if values.dtype.kind == "f" and not numpy.isfinite(values).all():
            raise ValueError("a value is not a number")
        whole = values.astype(numpy.int64)
        if values.dtype.kind not in "biu" and not (whole == values).all():
            raise ValueError("a value is not a whole number of ticks; round the values")
        if (whole < 0).any():
            raise ValueError(f"the value {whole.min()} is negative")
        return whole
    numbers = list(values)
    if len(numbers) != rows:
        raise ValueError(f"{len(numbers)} values; expected {rows}")
    whole = [int(number) for number in numbers]
    if any(one != other for one, other in zip(whole, numbers)):
        raise ValueError("a value is not a whole number of ticks; round the values")
    if any(number < 0 for number in whole):
        raise ValueError(f"the value {min(whole)} is negative")
    return whole


def _by_call(of: Property, rows: Rows, numbers: Any) -> Iterator[tuple[int, int]]:
    """Call paths with their values, the sum or the maximum of those of their rows. The values are
    integers all the way."""
    if numpy is not None:
        calls, places = numpy.unique(rows["call"], return_inverse=True)
        values = numpy.zeros(len(calls), dtype=numpy.int64)
        together = numpy.maximum if of.over_call_paths == "maximum" else numpy.add
        together.at(values, places, numbers)
        yield from zip(calls.tolist(), values.tolist())
        return
    by_call: dict[int, int] = {}
    for call, number in zip(rows.values("call"), numbers):
        by_call[call] = with_more(of, by_call.get(call, 0), number)
    yield from by_call.items()


class Analysis:
    """What was found: the values of properties, and why others have none."""

    def __init__(self, experiment: Any, found: list[Any], problems: list[str]) -> None:
        self._run = experiment._run
        self._scale = 1 / experiment.trace.ticks_per_second
        self._locations = len(list(experiment.trace.locations))
        self._found = {it.of.name: it for it in found if it.error is None}
        #: Why a property has no values: its class, the batch, and the exception.
        self.errors = [it.error for it in found if it.error is not None]
        #: What of the trace could not be read.
        self.problems = problems

    def values(self, name: str) -> dict[tuple[int, int], int]:
        """The values of a property that are not 0, by call path and location, in ticks or counts.

        The numbers of call paths are those of the table ``calls`` of the trace.
        """
        return {key: value for key, value in self._found[name].values.items() if value != 0}

    def total(self, name: str) -> Number:
        """All values of a property combined, in ticks or counts: their sum, if it says no more."""
        of = self._found[name].of
        combined = Combined(of.over_call_paths, of.over_locations, self._locations)
        for (_, location), value in self.values(name).items():
            combined.add(location, value)
        return combined.value()

    def totals(self) -> dict[str, float]:
        """All values of each property combined, in its unit."""
        seconds = {name: it.of.unit == "sec" for name, it in self._found.items()}
        return {
            name: self.total(name) * (self._scale if is_time else 1)
            for name, is_time in seconds.items()
        }

    def store(self) -> None:
        """Stores these properties in the experiment, in its file ``trace.cubex``.

        The trace is analyzed for this, as by ``pompeii analyze``. Then ``pompeii report --json``
        and the viewer have these properties, without Python. Those that were stored before are
        replaced. Open the experiment again to see them in ``severities``. A property that is
        larger than its parent, a property of Pompeii, is an error and not stored.
        """
        larger = self._run.store([self._own(name) for name in self._found])
        for name, call, location, value, whole in larger:
            of = self._found.pop(name).of
            self.errors.append(_larger(of, (call, location), value, (whole, of.parent)))

    def _own(self, name: str) -> tuple[Any, ...]:
        of = self._found[name].of
        values = [(*key, value) for key, value in self.values(name).items()]
        doc = inspect.cleandoc(type(of).__doc__ or "")
        shown = (of.over_call_paths, of.over_locations, of.percent_of)
        return (name, of.title or name, doc, of.unit, of.parent, shown, values)


def _larger_than_parent(found: list[Any]) -> None:
    """A part that is larger than the whole is an error."""
    by_name = {it.of.name: it for it in found}
    for it in found:
        parent = by_name.get(it.of.parent or "")
        if it.error is not None or parent is None or parent.error is not None:
            continue
        for (call, location), value in it.values.items():
            whole = parent.values.get((call, location), 0)
            if value > whole:
                it.error = _larger(it.of, (call, location), value, (whole, parent.of.name))
                break


def _larger(of: Property, place: tuple[int, int], value: int, parent: tuple[int, Any]) -> str:
    call, location = place
    whole, name = parent
    return (
        f"{type(of).__name__}: {value} at call path {call} and location {location} is larger than "
        f"{whole} of `{name}`, whose part it is"
    )


def analyze(experiment: Any, properties: Iterable[Union[Property, type[Property]]]) -> Analysis:
    """Finds properties in the trace of an experiment, all in one pass.

    A property that fails has no values, and the others have theirs: see ``Analysis.errors``.
    """
    made = [it() if inspect.isclass(it) else it for it in properties]
    _check_names(made)
    severities = Severities()
    found = [ByEvents(it, severities) if callbacks_of(it) else _Running(it) for it in made]
    problems = _find_by_rows(experiment, [it for it in found if isinstance(it, _Running)])
    by_events = [it for it in found if isinstance(it, ByEvents)]
    problems += find(experiment.trace, by_events, severities)
    _larger_than_parent(found)
    return Analysis(experiment, found, list(dict.fromkeys(problems)))


def _find_by_rows(experiment: Any, found: list[_Running]) -> list[str]:
    """Calls all properties for all rows that they take; returns what could not be read."""
    if not found:
        return []
    facts = experiment._run.facts(sorted({it.table for it in found}))
    for table, location, batch in facts:
        rows = Rows(batch)
        for it in found:
            if it.table == table:
                it.take(location, rows)
    return list(facts.problems)


def load(path: str) -> list[type[Property]]:
    """The properties of a file of Python, in the order of their definitions."""
    spec = importlib.util.spec_from_file_location("pompeii_properties_of_a_file", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: expected a file of Python, whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    all_of_it = [it for it in vars(module).values() if inspect.isclass(it)]
    own = [it for it in all_of_it if issubclass(it, Property) and it.__module__ == module.__name__]
    if not own:
        raise ValueError(f"{path}: no class of it is a pompeii.Property")
    return own


def installed() -> list[type[Property]]:
    """The properties of installed packages, by entry points of the group ``pompeii.properties``."""
    from importlib import metadata

    points = metadata.entry_points()
    if hasattr(points, "select"):
        group = points.select(group="pompeii.properties")
    else:
        group = points.get("pompeii.properties", [])
    return [point.load() for point in group]
