"""Compares a profile of Firefox Profiler (`pompeii convert --to firefox`) with the profile of Speedscope
and the tables (`--to csv`) of the same trace: as the document "Processed profile format" of the
profiler describes its tables, and as the profiler's own command reads the file.

    read_firefox.py PROFILE SPEEDSCOPE FOLDER COMMAND

Prints how many regions and tasks of all threads are the same.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

profile, speedscope, tables, command = sys.argv[1:]


def table(name):
    with open(f"{tables}/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


info = table("trace")[0]
begin, per_second = int(info["begin"]), int(info["ticks_per_second"])
ns = lambda ticks: max(int(ticks) - begin, 0) * 1_000_000_000 // per_second
fragments = Counter(
    (int(it["location"]), ns(it["begin"]), ns(it["end"])) for it in table("fragments")
)

# Times without callees in nanoseconds.
with open(speedscope) as file:
    file = json.load(file)
labels = [it["name"] for it in file["shared"]["frames"]]
expected = Counter()
for place, of in enumerate(file["profiles"]):
    open_frames, since = [], 0
    for event in of["events"]:
        if open_frames:
            expected[place, labels[open_frames[-1]]] += event["at"] - since
        since = event["at"]
        if event["type"] == "O":
            open_frames.append(event["frame"])
        else:
            open_frames.pop()

with open(profile) as file:
    threads = json.load(file)["threads"]
found, markers = Counter(), Counter()
for place, thread in enumerate(threads):
    samples, stacks, frames = thread["samples"], thread["stackTable"], thread["frameTable"]
    assert samples["weightType"] == "tracing-ms"
    for stack, weight in zip(samples["stack"], samples["weight"], strict=True):
        if stack is not None:
            function = frames["func"][stacks["frame"][stack]]
            name = thread["stringArray"][thread["funcTable"]["name"][function]]
            found[place, name] += weight * 1e6
    of = thread["markers"]
    for start, end, phase in zip(of["startTime"], of["endTime"], of["phase"], strict=True):
        assert phase == 1
        markers[place, round(start * 1e6), round(end * 1e6)] += 1
assert len(threads) == len(table("locations"))
assert markers == fragments, (markers - fragments, fragments - markers)
found = Counter({key: round(time) for key, time in found.items()})
assert found == +expected, (found - expected, expected - found)

# The command keeps a profile in a process of its own, until it is told to stop.
with tempfile.TemporaryDirectory() as home:
    session = ["--session", "test"]

    def ask(*words):
        asked = subprocess.run(
            ["node", command, *words],
            env={**os.environ, "HOME": home},
            stdout=subprocess.PIPE,
            check=True,
        )
        return asked.stdout

    ask("load", profile, *session)
    left = dict(found)
    try:
        for place in range(len(threads)):
            which = ["--thread", f"t-{place}", "--include-idle", "--limit", "0", "--json"]
            for function in json.loads(ask("thread", "functions", *which, *session))["functions"]:
                key = place, function["name"]
                self_ns = function["selfSamples"] * 1e6
                assert abs(self_ns - left.get(key, 0)) < 1, (key, self_ns, left)
                left.pop(key, None)
        assert not left, left
    finally:
        ask("stop", "test")

print(f"{len(found)} regions, {sum(markers.values())} tasks")
