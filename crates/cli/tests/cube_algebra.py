"""Computes with pycubexr and nothing else what the tools of `pompeii cube` must write, and compares.

Called as `cube_algebra.py TOOL RESULT OPERAND...`, for tests/oracle_cube.rs. Values are compared
exclusively, by metric, path of region names and location, from the stored rows of each report.
"""

import sys
from collections import defaultdict

from pycubexr import CubexParser

import read_cube3


def exclusive(path):
    """{(metric, path): [value by location]}."""
    if path.endswith((".cube", ".cube.gz")):
        return read_cube3.exclusive(path)
    values = {}
    with CubexParser(path) as report:
        locations = report.get_locations()
        paths = {}

        def walk(cnode, prefix):
            paths[cnode.id] = f"{prefix}/{cnode.region.name}"
            for child in cnode.get_children():
                walk(child, paths[cnode.id])

        for root in report.get_root_cnodes():
            walk(root, "")
        children = {c.id: [d.id for d in c.get_children()] for c in report.all_cnodes()}
        for metric in report.all_metrics():
            try:
                rows = report.get_metric_values(metric, allow_full_uint64_values=True)
            except Exception:  # a metric that was never written has no member
                rows = None
            stored = {}
            for cnode in report.all_cnodes():
                present = rows is not None and cnode.id in rows.cnode_indices
                stored[cnode.id] = (
                    [float(v) for v in rows.cnode_values(cnode)] if present else [0.0] * len(locations)
                )
            for cnode, row in stored.items():
                if metric.metric_type == "INCLUSIVE":
                    below = [stored[child] for child in children[cnode]]
                    row = [v - sum(b[i] for b in below) for i, v in enumerate(row)]
                key = (metric.name, paths[cnode])
                known = values.get(key)
                values[key] = row if known is None else [a + b for a, b in zip(known, row)]
    return values


def leaf(values, name):
    """What is below a region of this name goes to it."""
    result = defaultdict(lambda: None)
    for (metric, path), row in values.items():
        parts = path.split("/")
        if name in parts:
            parts = parts[: parts.index(name) + 1]
        key = (metric, "/".join(parts))
        result[key] = row if result[key] is None else [a + b for a, b in zip(result[key], row)]
    return dict(result)


def prune(values, name):
    """What is in a region of this name goes to its caller."""
    result = defaultdict(lambda: None)
    for (metric, path), row in values.items():
        parts = path.split("/")
        if name in parts:
            parts = parts[: parts.index(name)]
        key = (metric, "/".join(parts))
        result[key] = row if result[key] is None else [a + b for a, b in zip(result[key], row)]
    return dict(result)


def root(values, name):
    """Only what is in a region of this name."""
    result = defaultdict(lambda: None)
    for (metric, path), row in values.items():
        parts = path.split("/")
        if name in parts:
            key = (metric, "/" + "/".join(parts[parts.index(name):]))
            result[key] = row if result[key] is None else [a + b for a, b in zip(result[key], row)]
    return dict(result)


def combined(operands, combine):
    """By key; a report that lacks it has zeros."""
    length = len(next(iter(operands[0].values())))
    keys = [key for operand in operands for key in operand]
    zeros = [0.0] * length
    return {
        key: [combine(vs) for vs in zip(*(operand.get(key, zeros) for operand in operands))]
        for key in dict.fromkeys(keys)
    }


def merged(operands):
    """A metric's values are those of the first report that has it."""
    length = len(next(iter(operands[0].values())))
    owner = {}
    for index, operand in enumerate(operands):
        for metric, _ in operand:
            owner.setdefault(metric, index)
    paths = dict.fromkeys(path for operand in operands for _, path in operand)
    return {
        (metric, path): operands[index].get((metric, path), [0.0] * length)
        for metric, index in owner.items()
        for path in paths
    }


def expected(tool, operands):
    first = operands[0]
    if tool == "diff":
        return combined(operands, lambda values: values[0] - values[1])
    if tool == "mean":
        return combined(operands, lambda values: sum(values) / len(values))
    if tool == "merge":
        return merged(operands)
    if tool == "collapse":
        sums = [{key: [sum(row)] for key, row in operand.items()} for operand in operands]
        return combined(sums, lambda values: values[0] - values[1])
    if tool.startswith("columns="):
        start, end = map(int, tool.split("=")[1].split(":"))
        return {key: row[start:end] for key, row in first.items()}
    if tool in ("clean", "convert"):
        return first
    action, name = tool.split("=")
    return {"leaf": leaf, "prune": prune, "root": root}[action](first, name)


def main():
    tool, result, *paths = sys.argv[1:]
    operands = [exclusive(path) for path in paths]
    wanted = expected(tool, operands)
    found = exclusive(result)
    compared = 0
    for key in sorted(set(wanted) | set(found)):
        zeros = [0.0] * len(next(iter(found.values())))
        ours, theirs = found.get(key, zeros), wanted.get(key, zeros)
        if len(ours) != len(theirs):
            sys.exit(f"{tool}: {key} has {len(ours)} values, expected {len(theirs)}")
        for location, (a, b) in enumerate(zip(ours, theirs)):
            if abs(a - b) > 1e-9 * max(1.0, abs(a), abs(b)):
                sys.exit(f"{tool}: {key} on {location} is {a}, expected {b}")
            compared += a != 0.0
    print(compared)


main()
