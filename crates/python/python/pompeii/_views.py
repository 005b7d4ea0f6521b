"""Questions that are asked often, in the names of pipit. Answers are lists of dictionaries, of
which ``pandas.DataFrame`` makes a data frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from ._display import Combined
from ._table import Table


def totals(run: Any) -> dict[str, float]:
    """Each metric over all call paths and locations, in its unit."""
    locations = len(list(Table(run, "locations")))
    metrics = list(Table(run, "metrics"))
    combined = [_combined(it, locations) for it in metrics]
    for rows in Table(run, "severities").batches():
        columns = (rows.values(name) for name in ("metric", "location", "value"))
        for metric, location, value in zip(*columns):
            combined[metric].add(location, value)
    return {it["name"]: of.value() * it["scale"] for it, of in zip(metrics, combined)}


def flat_profile(run: Any, metric: str) -> list[dict[str, Any]]:
    """Each region with its own values of a metric, over all call paths and locations."""
    it = _metric(run, metric)
    number, scale, unit = it["metric"], it["scale"], it["unit"]
    locations = len(list(Table(run, "locations")))
    found: dict[int, Combined] = {}
    everything = _combined(it, locations)
    regions = [path["region"] for path in Table(run, "call_paths")]
    for call, location, value in _values(run, number):
        region = regions[call]
        if region not in found:
            found[region] = _combined(it, locations)
        found[region].add(location, value)
        everything.add(location, value)
    total = everything.value() or 1
    names = [it["label"] for it in Table(run, "regions")]
    values = {region: of.value() for region, of in found.items()}
    rows = sorted(values.items(), key=lambda it: (-it[1], it[0]))
    return [
        {"region": names[region], metric: value * scale, "unit": unit, "share": value / total}
        for region, value in rows
    ]


def load_imbalance(run: Any, metric: str) -> list[dict[str, Any]]:
    """Each region with the largest value of a location divided by the mean over all locations."""
    it = _metric(run, metric)
    number, scale, unit = it["metric"], it["scale"], it["unit"]
    regions = [path["region"] for path in Table(run, "call_paths")]
    locations = list(Table(run, "locations"))
    combined: dict[int, Combined] = {}
    for call, location, value in _values(run, number):
        if regions[call] not in combined:
            combined[regions[call]] = _combined(it, len(locations))
        combined[regions[call]].add(location, value)
    names = [it["label"] for it in Table(run, "regions")]
    found = []
    values = {region: of.by_location() for region, of in combined.items()}
    for region, row in sorted(values.items(), key=lambda it: (-sum(it[1]), it[0])):
        most, mean = max(row), sum(row) / len(row)
        found.append(
            {
                "region": names[region],
                "imbalance": most / mean if mean else 1.0,
                "mean": mean * scale,
                "most": most * scale,
                "unit": unit,
                "location": locations[row.index(most)]["name"],
            }
        )
    return found


def comm_matrix(run: Any, of: str) -> list[list[int]]:
    """Bytes or messages (``of``: ``bytes`` or ``count``) from each rank to each rank.

    ``matrix[sender][receiver]`` is a number of what the receiver has received.
    """
    if of not in ("bytes", "count"):
        raise ValueError(f"`{of}`; expected bytes or count")
    ranks = [it["rank"] for it in Table(run, "trace.locations")]
    size = max(ranks, default=-1) + 1
    matrix = [[0] * size for _ in range(size)]
    for batch in Table(run, "trace.messages").batches():
        columns = (batch.values(name) for name in ("sender", "location", "bytes"))
        for sender, receiver, length in zip(*columns):
            matrix[ranks[sender]][ranks[receiver]] += length if of == "bytes" else 1
    return matrix


def critical_path(run: Any) -> list[dict[str, Any]]:
    """How long each call path of each location is on the critical path, the longest time first.

    The seconds of all rows are the duration of the run.
    """
    metric = _metric(run, "critical_path")
    number, scale = metric["metric"], metric["scale"]
    paths = list(Table(run, "call_paths"))
    labels = [it["label"] for it in Table(run, "regions")]
    locations = [it["name"] for it in Table(run, "locations")]
    rows = sorted(_values(run, number), key=lambda it: (-it[2], it[0], it[1]))
    total = sum(value for _, _, value in rows) or 1
    return [
        {
            "path": path_of(paths, labels, call),
            "location": locations[location],
            "seconds": value * scale,
            "share": value / total,
        }
        for call, location, value in rows
    ]


def path_of(paths: list[dict[str, Any]], labels: list[str], call: int) -> list[str]:
    """The labels of the regions of a call path, the outermost one first."""
    found: list[str] = []
    at: Optional[int] = call
    while at is not None:
        found.append(labels[paths[at]["region"]])
        at = paths[at]["parent"]
    return found[::-1]


def graph_frame(run: Any, metrics: Sequence[str]) -> Any:
    """Call paths with the sums of metrics over all locations, as a ``hatchet.GraphFrame``."""
    from hatchet import GraphFrame

    paths = list(Table(run, "call_paths"))
    labels = [it["label"] for it in Table(run, "regions")]
    nodes: list[dict[str, Any]] = []
    for path in paths:
        frame = {"name": labels[path["region"]], "type": "region"}
        nodes.append({"frame": frame, "metrics": {}, "children": []})
    for name in metrics:
        metric = _metric(run, name)
        if (metric["over_call_paths"], metric["over_locations"]) != ("sum", "sum"):
            raise ValueError(f"`{name}` is no sum, and Hatchet adds values; expected a sum")
        number, scale = metric["metric"], metric["scale"]
        own = [0] * len(paths)
        for call, _, value in _values(run, number):
            own[call] += value
        inclusive = own.copy()
        # Parents come before their children.
        for path in reversed(paths):
            if path["parent"] is not None:
                inclusive[path["parent"]] += inclusive[path["call"]]
        for node, one, other in zip(nodes, own, inclusive):
            node["metrics"].update({name: one * scale, f"{name} (inc)": other * scale})
    for path, node in zip(paths, nodes):
        if path["parent"] is not None:
            nodes[path["parent"]]["children"].append(node)
    roots = [node for path, node in zip(paths, nodes) if path["parent"] is None]
    return GraphFrame.from_literal(roots)


def idle_time(run: Any) -> list[dict[str, Any]]:
    """How long each location waited, in seconds, and which share of the run this is."""
    begin, end, rate = run.of_trace()
    locations = list(Table(run, "trace.locations"))
    sums = [0] * len(locations)
    for batch in Table(run, "trace.waits").batches():
        for location, ticks in zip(batch.values("location"), batch.values("ticks")):
            sums[location] += ticks
    length = max(end - begin, 1)
    return [
        {"location": it["name"], "seconds": ticks / rate, "share": ticks / length}
        for it, ticks in zip(locations, sums)
    ]


def _combined(metric: dict[str, Any], locations: int) -> Combined:
    return Combined(metric["over_call_paths"], metric["over_locations"], locations)


def _metric(run: Any, name: str) -> dict[str, Any]:
    metrics = list(Table(run, "metrics"))
    for it in metrics:
        if it["name"] == name:
            return it
    known = ", ".join(it["name"] for it in metrics)
    raise KeyError(f"no metric `{name}`; expected one of {known}")


def _values(run: Any, metric: int) -> Any:
    """Call path, location and value of each severity of a metric."""
    for batch in Table(run, "severities").batches():
        names = ("metric", "call", "location", "value")
        for of, call, location, value in zip(*(batch.values(name) for name in names)):
            if of == metric:
                yield call, location, value
