"""Reads the profiles of `pompeii convert --to tau` with Hatchet, and compares them with the report from
which they were made, which pycubexr reads.

    read_tau.py FOLDER REPORT

Prints how many call paths of all threads are the same.
"""

import sys
import warnings
from collections import Counter

# Hatchet uses what pandas will change.
warnings.simplefilter("ignore")

import hatchet
from pycubexr import CubexParser

frame = hatchet.GraphFrame.from_tau(sys.argv[1]).dataframe
threads = sorted(set(frame.index.get_level_values("thread")))


def found(thread):
    """Depth, calls, exclusive and inclusive time in ns of all call paths that the thread has visited."""
    rows = Counter()
    for node, row in frame.xs(thread, level="thread").iterrows():
        depth = len(node.path()) - 1
        times = tuple(round(row[name] * 1000) for name in ("time", "time (inc)"))
        if depth > 0 and (row["Calls"], *times) != (0, 0, 0):
            rows[depth, int(row["Calls"]), *times] += 1
    return rows


def expected(report):
    """The same of each location of a report."""
    rows = [Counter() for _ in report.get_locations()]

    def values(name):
        values = report.get_metric_values(report.get_metric_by_name(name))
        return lambda cnode: values.cnode_values(cnode)

    # Reports have times with callees.
    visits, time = values("visits"), values("time")
    assert report.get_metric_by_name("time").metric_type == "INCLUSIVE"

    def walk(cnode, depth):
        for number, row in enumerate(rows):
            inclusive = time(cnode)[number]
            exclusive = inclusive - sum(time(child)[number] for child in cnode.get_children())
            calls = int(visits(cnode)[number])
            key = (calls, round(exclusive * 1e9), round(inclusive * 1e9))
            if key != (0, 0, 0):
                row[depth, *key] += 1
        for child in cnode.get_children():
            walk(child, depth + 1)

    for cnode in report.get_root_cnodes():
        walk(cnode, 1)
    return rows


with CubexParser(sys.argv[2]) as report:
    of_report = expected(report)
assert len(threads) == len(of_report), (threads, len(of_report))
total = 0
for thread, rows in zip(threads, of_report):
    of_tau = found(thread)
    assert of_tau == rows, (thread, (of_tau - rows).most_common(3), (rows - of_tau).most_common(3))
    total += sum(rows.values())
print(f"{total} call paths on {len(threads)} threads")
