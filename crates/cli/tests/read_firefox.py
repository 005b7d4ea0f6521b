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
import time
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
found = Counter({key: round(value) for key, value in found.items()})
assert found == +expected, (found - expected, expected - found)

# The command keeps the profile in a server. Its word `load` gives up if the server does not start within
# half a second, so this script starts the server. A question that comes when a busy machine lets the
# server wait makes the command forget the server, so it is started anew from time to time.
SERVERS, PATIENCE_S = 6, 30


class Server:
    """The server of a profile, with files in a folder of its own."""

    def __init__(self, home):
        self.environment = {**os.environ, "HOME": home, "PROFILER_CLI_SESSION_DIR": home}
        words = ["node", command, "--daemon", os.path.abspath(profile), "--session", "test"]
        self.process = subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL)

    def functions(self, thread):
        """The functions of a thread, as soon as the server answers; None if it does not."""
        which = ["--thread", f"t-{thread}", "--include-idle", "--limit", "0", "--json"]
        words = ["node", command, "thread", "functions", *which, "--session", "test"]
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            asked = subprocess.run(words, env=self.environment, capture_output=True, text=True)
            if asked.returncode == 0:
                return json.loads(asked.stdout)["functions"]
            self.message = asked.stderr
            time.sleep(0.2)
        return None

    def end(self):
        self.process.terminate()
        self.process.wait()


def functions_of_threads():
    """The functions of each thread, from as many servers as it takes."""
    answers = []
    for _ in range(SERVERS):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            server = Server(home)
            try:
                while len(answers) < len(threads):
                    answer = server.functions(len(answers))
                    if answer is None:
                        break
                    answers.append(answer)
            finally:
                server.end()
        if len(answers) == len(threads):
            return answers
    raise AssertionError(server.message)


left = dict(found)
for place, functions in enumerate(functions_of_threads()):
    for function in functions:
        key = place, function["name"]
        self_ns = function["selfSamples"] * 1e6
        assert abs(self_ns - left.pop(key, 0)) < 1, (key, self_ns)
assert not left, left

print(f"{len(found)} regions, {sum(markers.values())} tasks")
