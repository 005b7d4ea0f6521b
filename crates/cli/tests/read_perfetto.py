"""Reads a file of `pompeii convert --to perfetto` with Perfetto's own schema, and compares it with
the tables of `pompeii convert --to csv`, which another part of Pompeii makes of the same trace.

    read_perfetto.py FILE FOLDER

Prints how many slices, fragments of tasks, messages and values of counters are the same.
"""

import csv
import sys
from collections import Counter, defaultdict

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

TASK_FLOW = 1 << 63


def table(name):
    with open(f"{sys.argv[2]}/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


info = table("trace")[0]
begin, per_second = int(info["begin"]), int(info["ticks_per_second"])


def ns(ticks):
    return max(int(ticks) - begin, 0) * 1_000_000_000 // per_second


class Sequence:
    """What the packets of a sequence have defined."""

    def __init__(self):
        self.names, self.categories, self.sources = {}, {}, {}
        self.track, self.time = None, 0

    def define(self, packet):
        if packet.sequence_flags & 1:
            self.__init__()
        if packet.HasField("trace_packet_defaults"):
            self.track = packet.trace_packet_defaults.track_event_defaults.track_uuid
        data = packet.interned_data
        for known, entries in (
            (self.names, data.event_names),
            (self.categories, data.event_categories),
            (self.sources, data.source_locations),
        ):
            for entry in entries:
                assert entry.iid > 0 and entry.iid not in known, entry
                known[entry.iid] = entry


with open(sys.argv[1], "rb") as file:
    trace = Trace.FromString(file.read())

tracks, sequences = {}, defaultdict(Sequence)
# Open slices by track, slices that have ended, and events with flows.
stacks, slices, flows, messages = defaultdict(list), [], [], defaultdict(list)
values = 0
for packet in trace.packet:
    sequence = sequences[packet.trusted_packet_sequence_id]
    sequence.define(packet)
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        assert track.uuid not in tracks and (track.parent_uuid == 0 or track.parent_uuid in tracks)
        tracks[track.uuid] = track
    if not packet.HasField("track_event"):
        continue
    event, time = packet.track_event, packet.timestamp
    uuid = event.track_uuid or sequence.track
    track = tracks[uuid]
    if event.type == TrackEvent.TYPE_COUNTER:
        assert track.HasField("counter") and track.counter.unit_name and track.name, track
        assert event.WhichOneof("counter_value_field"), event
        values += 1
        continue
    assert track.HasField("thread"), track
    name = event.name or (sequence.names[event.name_iid].name if event.name_iid else "")
    facts = {it.name: getattr(it, it.WhichOneof("value")) for it in event.debug_annotations}
    if event.source_location_iid:
        source = sequence.sources[event.source_location_iid]
        assert source.file_name and source.line_number > 0, source
    assert all(iid in sequence.categories for iid in event.category_iids), event
    if sequence.track:
        # All but messages are in the order of time.
        assert time >= sequence.time, (time, sequence.time)
        sequence.time = time
    for flow in list(event.flow_ids) + list(event.terminating_flow_ids):
        if flow & TASK_FLOW:
            flows.append((time, len(flows), flow, name, bool(event.terminating_flow_ids)))
        else:
            messages[flow].append((name, time, track.thread.tid, facts))
    if event.type == TrackEvent.TYPE_SLICE_BEGIN:
        assert name, event
        stacks[uuid].append((name, time, facts))
    elif event.type == TrackEvent.TYPE_SLICE_END:
        name, since, facts = stacks[uuid].pop()
        slices.append((track.thread.tid - 1, name, since, time, facts))
    else:
        assert event.type == TrackEvent.TYPE_INSTANT and name, event
assert not any(stacks.values()), stacks

# Slices of regions begin where visits do. Those that no suspension has cut end there, too.
region_of = {it["call"]: int(it["region"]) for it in table("calls")}
labels = [it["label"] for it in table("regions")]
visits = [
    (int(it["location"]), labels[region_of[it["call"]]], ns(it["enter"]), ns(it["leave"]))
    for it in table("visits")
]
is_task = lambda it: it[1].startswith("task_") and it[1].count("_") == 2
begins = Counter(it[:3] for it in slices if not is_task(it) and not it[4].get("goes on"))
expected = Counter(it[:3] for it in visits)
assert begins == expected, ((begins - expected).most_common(3), (expected - begins).most_common(3))
missing = Counter(it[:4] for it in slices if not is_task(it) and not it[4]) - Counter(visits)
cut = sum(1 for it in slices if it[4].get("goes on"))
assert sum(missing.values()) <= cut, (missing, cut)

# Slices of tasks are their fragments.
fragments = Counter(
    (int(it["location"]), ns(it["begin"]), ns(it["end"]))
    for it in table("fragments")
    if ns(it["begin"]) < ns(it["end"])
)
found = Counter((it[0], it[2], it[3]) for it in slices if is_task(it) and it[2] < it[3])
assert found == fragments, ((found - fragments).most_common(3), (fragments - found).most_common(3))

# A flow leads from the creation of a task over its fragments to its end.
alive, ended = {}, 0
for time, _, flow, name, is_last in sorted(flows):
    task = name.split(" ")[-1]
    if name.startswith("create "):
        assert flow not in alive, name
        alive[flow] = task
    assert alive.get(flow) == task, name
    if is_last:
        assert name.startswith("end "), name
        del alive[flow]
        ended += 1
assert ended == len(table("tasks")), (ended, len(table("tasks")))

# A message has two ends.
location_of = lambda tid: tid - 1
found = []
for ends in messages.values():
    (send, sent, sender, facts), (receive, received, receiver, others) = ends
    assert (send, receive) == ("send", "receive"), ends
    for name in ("bytes", "tag", "communicator"):
        assert facts[name] == others[name], ends
    key = (location_of(sender), location_of(receiver), sent, received)
    found.append(key + (facts["bytes"], facts["tag"], facts["communicator"]))
expected = [
    (int(it["sender"]), int(it["location"]), ns(it["sent"]), ns(it["received"]))
    + (int(it["bytes"]), int(it["tag"]), int(it["comm"]))
    for it in table("messages")
]
assert sorted(found) == sorted(expected), (found[:3], expected[:3])

print(f"{len(slices)} slices, {sum(fragments.values())} fragments, {len(found)} messages,", end=" ")
print(f"{values} values")
