"""Compares the flows of a file of `pompeii convert --to chrome`, as Chrome's developer tools have read them
(`chrome_flows.mjs`), with the tables of the same trace (`--to csv`).

    read_chrome.py FILE FOLDER

Prints how many flows of tasks and of messages are the same.
"""

import csv
import json
import sys
from collections import defaultdict


def table(name):
    with open(f"{sys.argv[2]}/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


info = table("trace")[0]
begin, per_second = int(info["begin"]), int(info["ticks_per_second"])


def place(time, location):
    """Time in nanoseconds, and thread."""
    return max(int(time) - begin, 0) * 1_000_000_000 // per_second, int(location) + 1


def flow(places):
    """The reader keeps one event of each time, and no flow with a single event."""
    return tuple(sorted({time for time, _ in places}))


# A flow leads from the creation of a task over the begins of its fragments to its end.
location_of = {it["visit"]: it["location"] for it in table("visits")}
tasks = {
    it["visit"]: [
        place(it["created"], location_of[it["creation"]]),
        place(it["ended"], it["location"]),
    ]
    for it in table("tasks")
}
for it in table("fragments"):
    tasks[it["task"]].append(place(it["begin"], it["location"]))
messages = [
    [place(it["sent"], it["sender"]), place(it["received"], it["location"])]
    for it in table("messages")
]
expected = defaultdict(list)
for kind, all_places in (("task", tasks.values()), ("message", messages)):
    for places in all_places:
        if len(flow(places)) > 1:
            expected[flow(places)].append((kind, places))

with open(f"{sys.argv[1]}.flows") as file:
    flows = json.load(file)
found = {"task": 0, "message": 0}
named = 0
for events in flows:
    events.sort()
    times = tuple(time for time, *_ in events)
    fits = [it for it in expected[times] if all((t, thread) in it[1] for t, thread, *_ in events)]
    assert fits, (events, expected[times])
    kind, places = fits[0]
    expected[times].remove(fits[0])
    found[kind] += 1
    # Where several events have the same place, the reader takes the first one.
    first, last = ("create task_", "task_") if kind == "task" else ("send", "receive")
    for (_, _, name, is_alone), begin_of_name in ((events[0], first), (events[-1], last)):
        assert not is_alone or name.startswith(begin_of_name), (name, begin_of_name)
        named += is_alone
missing = [it for left in expected.values() for it in left]
assert not missing, missing[:3]
assert named >= len(flows), (named, len(flows))

print(f"{found['task']} tasks, {found['message']} messages")
