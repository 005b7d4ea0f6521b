"""Tables, and their rows batch by batch."""

from __future__ import annotations

import array
import itertools
from collections.abc import Iterator
from html import escape
from typing import Any

try:
    import numpy
except ImportError:
    numpy = None


#: Rows of a table that a notebook shows.
_SHOWN = 10


class Rows:
    """Some rows of a table. ``rows.enter`` and ``rows["enter"]`` are the values of a column.

    A column of numbers is a numpy array if numpy is installed, else an array of the module
    ``array``. Its numbers are signed, so a difference of two times may be negative. A column of
    texts, or one that lacks values, is a list with ``None`` for what it lacks.
    """

    __slots__ = ("_batch",)

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __len__(self) -> int:
        return len(self._batch)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._batch.__arrow_c_array__(requested_schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._batch.names

    def __getitem__(self, name: str) -> Any:
        raw = self._batch.raw(name)
        if raw is None:
            return self._batch.values(name)
        data, letter = raw
        letter = "q" if letter == "Q" else letter
        if numpy is not None:
            values = numpy.frombuffer(data, dtype=numpy.dtype(letter))
            return values.astype(numpy.int64) if letter == "I" else values
        values = array.array(letter)
        values.frombytes(data)
        return values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def values(self, name: str) -> list[Any]:
        """The values of a column as a list."""
        return self._batch.values(name)


class Table:
    """A table of a run. It is read anew each time that it is used."""

    __slots__ = ("_name", "_run")

    def __init__(self, run: Any, name: str) -> None:
        self._run = run
        self._name = name

    def __repr__(self) -> str:
        return f"<table {self._name}: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        rows = [it.values() for it in itertools.islice(self, _SHOWN + 1)]
        lines = [_line("th", self.columns), *(_line("td", row) for row in rows[:_SHOWN])]
        more = "<p>This table has more rows.</p>" if len(rows) > _SHOWN else ""
        return f"<table>{''.join(lines)}</table>{more}"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._run.stream(self._name)

    def __arrow_c_schema__(self) -> object:
        return self._run.schema(self._name)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self._run.columns(self._name)]

    @property
    def types(self) -> dict[str, str]:
        """The types of the columns, by Arrow's names."""
        return dict(self._run.columns(self._name))

    def batches(self) -> Iterator[Rows]:
        """The rows in batches of 65,536 or a few more. Memory is that of some batches."""
        for batch in self._run.batches(self._name):
            yield Rows(batch)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Row by row, each as a dictionary. This is slow: for small tables."""
        names = self.columns
        for rows in self.batches():
            for values in zip(*(rows.values(name) for name in names)):
                yield dict(zip(names, values))

    def to_arrow(self) -> Any:
        """All rows as a table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """All rows as a data frame of pandas, which needs pyarrow for this."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """All rows as a data frame of polars."""
        import polars

        return polars.DataFrame(self)


def _line(tag: str, cells: Any) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
