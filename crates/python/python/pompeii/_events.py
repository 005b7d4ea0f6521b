"""The table of events, which is also called for events as objects: all or some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Optional

from ._event import KINDS, Event
from ._table import Table
from ._walk import Reader

#: How many events are read ahead for a link, if the caller says no number.
AHEAD = 100_000


class EventTable(Table):
    """The table of events. Called, it has the events as objects with links."""

    __slots__ = ()

    def __call__(
        self,
        kinds: Optional[Iterable[str]] = None,
        locations: Optional[Iterable[int]] = None,
        begin: Optional[int] = None,
        end: Optional[int] = None,
        *,
        ahead: int = AHEAD,
    ) -> Iterator[Event]:
        """The events in the order of time, one after the other.

        ``kinds`` are names of records, as in the column ``event``, or the shorter ones of callbacks
        (``enter``, ``send``). ``begin`` and ``end`` are times in ticks; events at these times are
        included. Links may lead to events that were not chosen. For a link in the direction of time
        at most ``ahead`` events are read and kept in memory; a link that is farther is a
        ``LookupError``. Events before ``begin`` are read too, because of the links.
        """
        if ahead < 1:
            raise ValueError(f"ahead = {ahead}; expected at least 1")
        process_of = [it["process"] for it in Table(self._run, "trace.locations")]
        chosen = None if locations is None else _known(locations, len(process_of))
        wanted = None if kinds is None else _records(kinds)
        reader = Reader(self._run, range(len(process_of)), process_of, ahead)
        return _chosen(reader, wanted, chosen, (begin, end))


def _chosen(
    events: Iterable[Event],
    kinds: Optional[set[str]],
    locations: Optional[set[int]],
    window: tuple[Optional[int], Optional[int]],
) -> Iterator[Event]:
    begin, end = window
    for event in events:
        if end is not None and event.time > end:
            return
        is_chosen = kinds is None or event.kind in kinds
        is_chosen = is_chosen and (locations is None or event.location in locations)
        if is_chosen and (begin is None or event.time >= begin):
            yield event


def _known(locations: Iterable[int], count: int) -> set[int]:
    chosen = set(locations)
    unknown = sorted(it for it in chosen if it not in range(count))
    if unknown:
        raise ValueError(f"no location {unknown[0]}; the trace has 0 to {count - 1}")
    return chosen


def _records(kinds: Iterable[str]) -> set[str]:
    """Names of records. A short name stands for several of them."""
    if isinstance(kinds, str):
        raise TypeError(f"kinds = {kinds!r}; expected a list of names, for example [{kinds!r}]")
    records = set()
    for name in kinds:
        short = {record for record, of in KINDS.items() if of == name}
        if not short and not name[:1].isupper():
            known = ", ".join(dict.fromkeys(KINDS.values()))
            raise ValueError(f"no kind `{name}`; expected {known}, or the name of a record of OTF2")
        records |= short or {name}
    return records
