"""How values of a property are displayed: combined over call paths on each location, then over
locations. Most properties are sums; others are the largest value or a mean. A value that is 0 is no
value of a call path, as in the reports; all locations count in a mean over locations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

#: Words for how values are combined.
WAYS = ("sum", "maximum", "mean")

#: A sum and a maximum of integers are integers.
Number = Union[int, float]


def is_sum(of: Any) -> bool:
    """Whether all values of a property are added, so that those of parts make the whole."""
    return of.over_call_paths == of.over_locations == "sum"


def with_more(of: Any, value: int, more: int) -> int:
    """Two values of one call path: a maximum over call paths is one over visits, too."""
    return max(value, more) if of.over_call_paths == "maximum" else value + more


def combine(values: Iterable[Number], how: str) -> Number:
    """One value of many; 0 if there is none."""
    all_of_them = list(values)
    if how == "maximum":
        return max(all_of_them, default=0)
    total = sum(all_of_them)
    return total / max(len(all_of_them), 1) if how == "mean" else total


class Combined:
    """Values of call paths by location, while they are combined."""

    def __init__(self, over_call_paths: str, over_locations: str, locations: int) -> None:
        self._over_call_paths = over_call_paths
        self._over_locations = over_locations
        self._sums = [0] * locations
        self._largest = [0] * locations
        self._counts = [0] * locations

    def add(self, location: int, value: int) -> None:
        """The value of a call path that is not 0."""
        self._sums[location] += value
        if not self._counts[location] or value > self._largest[location]:
            self._largest[location] = value
        self._counts[location] += 1

    def by_location(self) -> list[Number]:
        """The value of each location."""
        if self._over_call_paths == "maximum":
            return list(self._largest)
        if self._over_call_paths == "mean":
            return [total / max(count, 1) for total, count in zip(self._sums, self._counts)]
        return list(self._sums)

    def value(self) -> Number:
        """All as one."""
        return combine(self.by_location(), self._over_locations)


def check(made: list[Any]) -> None:
    """Wrong declarations of how properties are displayed are errors."""
    by_name = {it.name: it for it in made}
    for of in made:
        name = type(of).__name__
        for attribute in ("over_call_paths", "over_locations"):
            way = getattr(of, attribute)
            if way not in WAYS:
                raise ValueError(
                    f"{name}: {attribute} = {way!r}; expected one of {', '.join(WAYS)}"
                )
        for one in [of, by_name.get(of.parent or "", of)]:
            if of.parent and not is_sum(one):
                raise ValueError(
                    f"{name} is a part of `{of.parent}`, but `{one.name}` is no sum: it has "
                    f"over_call_paths = {one.over_call_paths!r} and over_locations = "
                    f"{one.over_locations!r}. Parts add up to their parent, so leave `parent` out "
                    "or use sums; `percent_of` names a whole for percentages"
                )
        whole = by_name.get(of.percent_of or "")
        if whole is not None and whole.unit != of.unit:
            raise ValueError(
                f"{name}: percent_of = {of.percent_of!r} is in {whole.unit}, and {name} is in "
                f"{of.unit}; expected a property with the same unit"
            )
