"""Compares what Speedscope has read of three formats of `pompeii convert` with the tables of the same
trace (`--to csv`) and with the report of the same run.

    read_speedscope.py SPEEDSCOPE CHROME FOLDED FOLDER REPORT SCHEMA

The first three are files of Pompeii; FILE.read is what Speedscope has read of each (`speedscope.mjs`).
Prints how many regions and tasks of all threads, and how many lines, are the same.
"""

import csv
import json
import sys
from collections import Counter

import jsonschema
from pycubexr import CubexParser

own, chrome, folded, tables, report, schema = sys.argv[1:]


def load(path):
    with open(path) as file:
        return json.load(file)


def table(name):
    with open(f"{tables}/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def slices(profile, frames, begin=0):
    """Name, begin and end of all that lasts longer than a nanosecond, where time 0 is at `begin`."""
    factor = {"nanoseconds": 1, "microseconds": 1000, "none": 1}[profile["unit"]]
    found, stack = Counter(), []
    for event in profile["events"]:
        at, frame = begin + round(event["at"] * factor), event["frame"]
        if event["type"] == "O":
            stack.append((frame, at))
            continue
        opened, since = stack.pop()
        assert opened == frame, event
        if since < at:
            # Arguments are a part of the names that Speedscope gives to events of Chrome.
            found[frames[frame]["name"].split(" {")[0], since, at] += 1
    assert not stack, stack
    return found


def borders(found):
    """When there are more or fewer slices of a name than before. Speedscope cuts what is around an event
    of Chrome without length, so slices that meet count as one."""
    starts, ends = Counter(), Counter()
    for (name, since, until), number in found.items():
        starts[name, since] += number
        ends[name, until] += number
    return starts - ends, ends - starts


def read(path, begins):
    """The slices of each profile that Speedscope has read."""
    file = load(f"{path}.read")
    assert len(file["profiles"]) == len(begins), (len(file["profiles"]), begins)
    frames = file["shared"]["frames"]
    return [slices(it, frames, begin) for it, begin in zip(file["profiles"], begins)]


info = table("trace")[0]
begin, per_second = int(info["begin"]), int(info["ticks_per_second"])


def ns(ticks):
    return max(int(ticks) - begin, 0) * 1_000_000_000 // per_second


# Speedscope's own format: it follows the schema, and is read as it is.
file = load(own)
jsonschema.validate(file, load(schema))
written = [slices(it, file["shared"]["frames"]) for it in file["profiles"]]
assert read(own, [0] * len(written)) == written

# Chrome's events have the same, and tasks; all locations have the same order.
locations = len(table("locations"))
begins = {}
for it in load(chrome)["traceEvents"]:
    if it["ph"] == "B":
        begins.setdefault(it["tid"], round(it["ts"] * 1000))
# Speedscope counts the time of a thread from its first event.
events = read(chrome, [begins[thread] for thread in sorted(begins)])
assert len(events) == len(written) == locations, (len(events), len(written), locations)
is_task = lambda name: name.startswith("task_")
tasks = [Counter({it: n for it, n in found.items() if is_task(it[0])}) for found in events]
for found, of_tasks, expected in zip(events, tasks, written):
    of_events, of_file = borders(found - of_tasks), borders(expected)
    differences = [(a - b, b - a) for a, b in zip(of_events, of_file)]
    assert of_events == of_file, differences
fragments = Counter(
    (int(it["location"]), ns(it["begin"]), ns(it["end"]))
    for it in table("fragments")
    if ns(it["begin"]) < ns(it["end"])
)
found = Counter((place, *key[1:]) for place, of in enumerate(tasks) for key in of.elements())
assert borders(found) == borders(fragments), (found - fragments, fragments - found)

# Each visit begins a slice. All others go on after a suspension.
region_of = {it["call"]: int(it["region"]) for it in table("calls")}
visits = [Counter() for _ in range(locations)]
for it in table("visits"):
    visits[int(it["location"])][region_of[it["call"]], ns(it["enter"])] += 1
for of_visits, profile in zip(visits, file["profiles"]):
    starts = Counter((it["frame"], it["at"]) for it in profile["events"] if it["type"] == "O")
    assert not of_visits - starts, (of_visits - starts).most_common(3)

# Folded stacks: a line for each call path that has taken time. Speedscope reads the sum of all.
with open(folded) as file:
    lines = [line.rsplit(" ", 1) for line in file.read().splitlines()]
with CubexParser(report) as parser:
    time = parser.get_metric_values(parser.get_metric_by_name("time"))
    total = lambda cnode: sum(time.cnode_values(cnode))
    # Reports have times with callees.
    times = [total(it) - sum(map(total, it.get_children())) for it in parser.all_cnodes()]
expected = sorted(round(it * 1e9) for it in times if round(it * 1e9) > 0)
assert sorted(int(weight) for _, weight in lines) == expected, (lines[:3], expected[:3])
end = load(f"{folded}.read")["profiles"][0]["endValue"]
assert end == sum(expected), (end, sum(expected))

print(f"{sum(map(len, written))} regions, {sum(found.values())} tasks, {len(lines)} lines")
