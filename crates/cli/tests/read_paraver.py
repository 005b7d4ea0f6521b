"""Reads the records of `pompeii convert --to paraver`, and compares them with the tables of the same trace
(`--to csv`), which another part of Pompeii makes.

    read_paraver.py TRACE.prv FOLDER

Prints how many states, tasks, regions and messages are right.
"""

import csv
import re
import sys
from collections import Counter, defaultdict

REGION, TASK = 70_000_001, 70_000_002


def table(name):
    with open(f"{sys.argv[2]}/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


info = table("trace")[0]
begin, per_second = int(info["begin"]), int(info["ticks_per_second"])


def ns(ticks):
    return max(int(ticks) - begin, 0) * 1_000_000_000 // per_second


with open(sys.argv[1]) as file:
    head, *lines = file.read().splitlines()
found = re.fullmatch(
    r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\)", head
)
end, nodes, processors, tasks, threads = found.groups()
assert int(end) == ns(info["end"]), head
threads = [tuple(map(int, it.split(":"))) for it in threads.split(",")]
processors = [int(it) for it in processors.split(",")]
assert len(processors) == int(nodes) and len(threads) == int(tasks) == len(table("processes"))
assert sum(processors) == sum(it[0] for it in threads) == len(table("locations"))

# Locations by task and thread.
location_of, seen = {}, Counter()
for it in table("locations"):
    task = int(it["process"]) + 1
    seen[task] += 1
    location_of[task, seen[task]] = int(it["location"])

last, states, events, messages = 0, defaultdict(list), defaultdict(list), []
for line in lines:
    kind, _, application, task, thread, time, *rest = map(int, line.split(":"))
    assert application == 1 and time >= last, line
    last, location = time, location_of[task, thread]
    if kind == 1:
        states[location].append((time, *rest))
    elif kind == 2:
        assert len(rest) == 2, line
        events[location, rest[0]].append((time, rest[1]))
    else:
        _, _, _, other_task, other_thread, received, _, size, tag = rest
        other = location_of[other_task, other_thread]
        messages.append((time, received, location, other, size, tag))

# States follow each other from the begin to the end.
for location, of in states.items():
    assert of[0][0] == 0 and of[-1][1] == int(end), of
    assert all(before[1] == after[0] for before, after in zip(of, of[1:])), location
assert sorted(states) == sorted(location_of.values())


def intervals(kind):
    """Location, value, begin and end of all values but 0."""
    for (location, of), values in events.items():
        if of == kind:
            for (time, value), (until, _) in zip(values, values[1:] + [(int(end), 0)]):
                if value and time < until:
                    yield location, value, time, until


fragments = Counter(
    (int(it["location"]), ns(it["begin"]), ns(it["end"]))
    for it in table("fragments")
    if ns(it["begin"]) < ns(it["end"])
)
of_tasks = Counter((location, since, until) for location, _, since, until in intervals(TASK))
assert of_tasks == fragments, ((of_tasks - fragments).most_common(3), (fragments - of_tasks).most_common(3))

# Times of regions without callees, by location. Each border may be rounded. A parallel region
# contains the fork in the tables, which is before its Enter event.
region_of = {it["call"]: int(it["region"]) for it in table("calls")}
others = ("artificial", "parallel")
without = {int(it["region"]) for it in table("regions") if it["role"] in others}
expected, times, parts = Counter(), Counter(), Counter()
for it in table("severities"):
    region = region_of[it["call"]]
    if region not in without:
        expected[int(it["location"]), region] += int(it["ticks"]) * 1_000_000_000 / per_second
for location, value, since, until in intervals(REGION):
    times[location, value - 1] += until - since
    parts[location, value - 1] += 1
visits = Counter((int(it["location"]), region_of[it["call"]]) for it in table("visits"))
for key, of in expected.items():
    assert abs(of - times[key]) <= 2 * (parts[key] + visits[key]) + 2, (key, of, times[key])
assert {it for it in times if it[1] not in without} <= set(expected), times

expected_messages = sorted(
    (ns(it["sent"]), max(ns(it["received"]), ns(it["sent"])), int(it["sender"]), int(it["location"]))
    + (int(it["bytes"]), int(it["tag"]))
    for it in table("messages")
)
assert messages == expected_messages, (messages[:3], expected_messages[:3])

number = sum(map(len, states.values()))
print(f"{number} states, {sum(of_tasks.values())} tasks, {len(times)} regions, {len(messages)} messages")
