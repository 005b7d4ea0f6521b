#!/usr/bin/env python3
"""Reads and checks an EPILOG trace file (format 1.0 to 1.9), plain or gzip.

    python3 epilog_reader.py [--summary] [--local] FILE

Prints one line for each record in file order: the record name, then the
fields as name=value.  Ids are printed as stored (no id = 4294967295).  A record
that has continuation records shows its complete value; each continuation
shows its own share.  --summary prints the number of records of each kind.

The reader stops at the first error: it prints the byte offset (of the
uncompressed data) to stderr and ends with exit code 1.  A file that cannot be
opened gives exit code 2.

Without --local, FILE is a merged trace: each event names its location, all
definitions precede LAST_DEF, and NUM_EVENTS precedes the first event.  With
--local, FILE is another file of an archive (trace of one process, definition
file, map file): events may lack the location, definitions may follow events,
LAST_DEF and NUM_EVENTS are optional, and ranks of peers are not checked.
"""

import argparse
import collections
import gzip
import json
import math
import re
import struct
import sys
import zlib

NO_ID = 0xFFFFFFFF


class FormatError(Exception):
    """An error of the file at a byte offset."""

    def __init__(self, offset, message):
        super().__init__("byte %d: %s" % (offset, message))
        self.offset = offset


# Record types of the same layout on one line: numbers, names, fields; events have
# lid and time in front of the listed fields.  A field is `name:code` (codes of struct),
# `name=space` (ui4 that defines an id) or `name@space` (ui4 that refers to one),
# followed by options in this order: `?` no id is allowed; `~` a process rank in
# a local file; `*x` array of as many elements as field x says (`metrics`: one
# for each METRIC, `rest`: all that is left); `{..}` permitted values;
# `>v` since version v; `+` present if the length leaves room.
TABLE = """
1 STRING strid=string cntc:B chars:s*rest
2 STRING_CNT chars:s*rest
3 MACHINE mid=machine nodes:I name@string?
4 NODE nid=node mid@machine cpus:I name@string? rate:d>1001
5 PROCESS pid=process name@string?
6 THREAD tid=thread pid@process name@string?
7 LOCATION lid=location mid@machine nid@node pid@process tid@thread
8 FILE fid=file name@string
9 REGION rid=region name@string fid@file? begin:I end:I descr@string? type:B{0-8,11-26}
10 METRIC metid=metric name@string descr@string? datatype:B{0-1} mode:B{0-2} interval:B{0-2}
11 MPI_COMM cid=communicator mode:B>1003 n:I members:B*rest
12 OFFSET time:d offset:d
13 LAST_DEF
14 NUM_EVENTS count:I
15 CALL_SITE csid=callsite fid@file? line:I entered@region left@region?
16 CART_TOPOLOGY topid=topology cid@communicator ndims:B sizes:I*ndims periodic:B*ndims \
   name@string?>1009 dimnames@string?*ndims>1009
17 CART_COORDS topid@topology lid@location ndims:B coords:I*ndims
18 MPI_WIN wid=window cid@communicator
19 MPI_COMM_CNT bytes:B*rest
20 CALL_PATH cpid=callpath rid@region parent@callpath? order:Q
21 EVENT_TYPES n:I types:B*n
22 EVENT_COUNTS n:I counts:I*n
23 MAP_SECTION rank:I
24 MAP_OFFSET rank:I offset:I
25 IDMAP type:B mode:B{0-1} n:I ids:I*rest
26 IDMAP_CNT ids:I*rest
27 MPI_GROUP gid=group mode:B n:I ranks:I*rest
28 MPI_GROUP_CNT ranks:I*rest
29 MPI_COMM_REF cid=communicator gid@group
30 MPI_COMM_DIST cid=communicator root:I rootcid:I rank:I size:I
60 ATTR_UI1 attr:B value:B
61 ATTR_UI4 attr:B value:I
101 ENTER rid@region metv:Q*metrics
102,110 EXIT,OMP_COLLEXIT metv:Q*metrics
103 MPI_SEND dest@location~ cid@communicator tag:I bytes:I
104 MPI_RECV source@location~ cid@communicator tag:I bytes:I+
105 MPI_COLLEXIT metv:Q*metrics root@location?~ cid@communicator sent:I recvd:I rid@region+
106,107 OMP_FORK,OMP_JOIN
108,109,130,131 OMP_ALOCK,OMP_RLOCK,ALOCK,RLOCK lock:I
111 ENTER_CS csid@callsite metv:Q*metrics
112,114,122 MPI_PUT_1TS,MPI_GET_1TS,MPI_GET_1TS_REMOTE dlid@location~ wid@window rmaid:I nbytes:I
113,115 MPI_PUT_1TE,MPI_GET_1TE slid@location~ wid@window rmaid:I
116 MPI_GET_1TO rmaid:I
117 MPI_WINEXIT metv:Q*metrics wid@window cid@communicator sync:B
118 MPI_WINCOLLEXIT metv:Q*metrics wid@window
119 MPI_WIN_LOCK locklid@location~ wid@window type:B{0-1}
120 MPI_WIN_UNLOCK locklid@location~ wid@window
121 MPI_PUT_1TE_REMOTE dlid@location~ wid@window rmaid:I
123,125,128 PUT_1TS,GET_1TS,GET_1TS_REMOTE dlid@location~ rmaid:I nbytes:I
124,126 PUT_1TE,GET_1TE slid@location~ rmaid:I
127 PUT_1TE_REMOTE dlid@location~ rmaid:I
129 COLLEXIT metv:Q*metrics root@location?~ cid@communicator sent:I recvd:I
132,133,134,135 MPI_SEND_COMPLETE,MPI_RECV_REQUEST,MPI_REQUEST_TESTED,MPI_CANCELLED request:I
201,202,203,204 LOG_OFF,LOG_ON,ENTER_TRACING,EXIT_TRACING metv:Q*metrics
"""
Field = collections.namedtuple(
    "Field", "name code defines refers no_id rank count allowed since optional")


def parse_field(word):
    name, mark, kind, no_id, rank, count, allowed, since, optional = re.fullmatch(
        r"(\w+)([:=@])(\w+)(\?)?(~)?(?:\*(\w+))?(?:\{(.*)\})?(?:>(\d+))?(\+)?", word).groups()
    ranges = [part.split("-") for part in allowed.split(",")] if allowed else []
    return Field(name, kind if mark == ":" else "I", kind if mark == "=" else None,
                 kind if mark == "@" else None, bool(no_id), bool(rank), count,
                 [n for low, high in ranges for n in range(int(low), int(high) + 1)],
                 int(since or 0), bool(optional))


def parse_table():
    """Returns record type -> (name, fields)."""
    kinds = {}
    for row in TABLE.strip().splitlines():
        numbers, names, *words = row.split()
        for number, name in zip(map(int, numbers.split(",")), names.split(",")):
            common = ["lid@location", "time:d"] if number >= 100 else []
            kinds[number] = (name, [parse_field(word) for word in common + words])
    return kinds


KINDS = parse_table()
FIRST_EVENT, NUM_EVENTS, STRING_CNT, ATTRIBUTES = 100, 14, 2, (60, 61)
ATTRIBUTE_REGION = 4   # attribute type whose value is a region id
# First record -> (continuation record, field that continues, most elements in
# the first record, most elements in a continuation).
CHAINS = {1: (2, "chars", 250, 255), 11: (19, "members", 255, 255),
          25: (26, "ids", 61, 63), 27: (28, "ranks", 61, 63)}
CONTINUATIONS = {chain[0] for chain in CHAINS.values()}
# An id of these kinds is unique only together with the named field.
SCOPES = {"node": "mid", "thread": "pid"}
# What an event opens or closes on the stack of its location.
OPENS = {"ENTER": "region", "ENTER_CS": "region", "OMP_FORK": "fork", "ENTER_TRACING": "tracing"}
CLOSES = {"EXIT": "region", "MPI_COLLEXIT": "region", "OMP_COLLEXIT": "region",
          "MPI_WINEXIT": "region", "MPI_WINCOLLEXIT": "region", "COLLEXIT": "region",
          "OMP_JOIN": "fork", "EXIT_TRACING": "tracing"}
# Region types that OMP_COLLEXIT can close: parallel, worksharing, barriers.
OMP_COLLECTIVE = (11, 12, 13, 14, 15, 16, 20, 21)


class Reader:
    """Iterates over (name, {field: value}) of each record; raises FormatError."""

    def __init__(self, stream, local=False):
        self.stream, self.local = stream, local
        self.position = self.offset = 0            # bytes read; start of this record
        self.ids = collections.defaultdict(dict)   # kind of id -> id -> what later checks need
        self.metrics = []                          # data type of each METRIC
        self.clock_offsets = self.events = 0
        self.event_types = None                    # number of EVENT_TYPES
        self.ended = False                         # LAST_DEF was read
        self.num_events = None                     # (count, offset of the record)
        self.attribute = None                      # offset of an attribute without event
        self.chain = None                          # (type, values, offset) of an incomplete value
        self.lines = []                            # records not yet returned
        self.lidless = False                       # the last clear event had no lid
        self.times, self.stacks = {}, collections.defaultdict(list)

    def need(self, condition, message, *arguments, offset=None):
        if not condition:
            raise FormatError(self.offset if offset is None else offset, message % arguments)

    def read(self, size):
        try:
            data = self.stream.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FormatError(self.position, "compressed data is damaged: %s" % error) from error
        self.position += len(data)
        return data

    def __iter__(self):
        head = self.read(10)
        self.need(head[:7] == b"EPILOG\0", "bad magic %r, expected b'EPILOG\\x00'", head[:7])
        self.need(len(head) == 10, "the file ends inside the header", offset=len(head))
        self.need(head[7] == 1, "major version %d, expected 1", head[7], offset=7)
        self.need(head[8] <= 9, "minor version %d, expected 0 to 9", head[8], offset=8)
        self.need(head[9] in (1, 2), "byte order %d, expected 1 (little) or 2 (big)", head[9],
                  offset=9)
        self.version, self.order = 1000 + head[8], "<" if head[9] == 1 else ">"
        while True:
            self.offset = self.position
            head = self.read(2)
            if not head:
                break
            body = self.read(head[0])
            self.need(len(head) == 2 and len(body) == head[0], "the file ends inside this record")
            self.record(head[1], body)
            if self.chain is None:
                yield from self.lines
                self.lines = []
        self.finish()

    def record(self, kind, body):
        name, fields = KINDS.get(kind, ("UNKNOWN_%d" % kind, None))
        self.check_order(kind, name)
        if kind >= FIRST_EVENT:
            self.events += 1
            self.attribute = None
        if fields is None:
            self.lines.append((name, {"length": len(body), "body": body.hex()}))
            return
        fields = [field for field in fields if field.since <= self.version]
        if self.local and kind >= FIRST_EVENT and self.lacks_location(fields, len(body)):
            fields = fields[1:]
        values = self.parse(name, fields, body)
        self.check_references(name, fields, values)
        if kind in CHAINS or kind in CONTINUATIONS:
            self.extend_chain(kind, values)
            return
        self.lines.append((name, values))
        self.define(fields, values, self.offset)
        if kind >= FIRST_EVENT:
            self.event(name, values)
        else:
            self.definition(kind, name, values)

    def check_order(self, kind, name):
        """Checks whether a record of this type may stand here."""
        if self.chain:
            following = CHAINS[self.chain[0]][0]
            self.need(kind == following, "%s, expected %s: the value of byte %d is not complete",
                      name, KINDS[following][0], self.chain[2])
        self.need(self.chain or kind not in CONTINUATIONS, "%s without its first record", name)
        self.need(self.attribute is None or kind >= FIRST_EVENT or kind in ATTRIBUTES,
                  "%s, expected the event of the attribute of byte %s", name, self.attribute)
        if not self.local and kind >= FIRST_EVENT:
            self.check_ends()
        elif not self.local and kind in KINDS and kind not in ATTRIBUTES:
            self.need(not self.events and (not self.ended or kind == NUM_EVENTS),
                      "definition %s after LAST_DEF or after an event", name)

    def check_ends(self):
        self.need(self.ended, "LAST_DEF is missing: it must precede the events")
        self.need(self.num_events, "NUM_EVENTS is missing: it must precede the events")

    def lacks_location(self, fields, length):
        """Decides from the length whether an event of a local file has no lid."""
        sizes = [struct.calcsize("=%d%s" % (len(self.metrics) if f.count else 1, f.code))
                 for f in fields]
        full = {sum(sizes), sum(sizes) - sum(s for s, f in zip(sizes, fields) if f.optional)}
        if (length in full) != (length + 4 in full):
            self.lidless = length + 4 in full
        return self.lidless and length + 4 in full

    def parse(self, name, fields, body):
        values, start = {}, 0
        for field in fields:
            if field.optional and start == len(body):
                break
            size = struct.calcsize("=" + field.code)
            counts = {None: 1, "metrics": len(self.metrics), "rest": (len(body) - start) // size}
            count = counts[field.count] if field.count in counts else values[field.count]
            end = start + count * size
            self.need(end <= len(body), "length %d does not fit %s: %s needs bytes %d to %d",
                      len(body), name, field.name, start, end)
            found = struct.unpack_from("%s%d%s" % (self.order, count, field.code), body, start)
            self.need(not field.allowed or found[0] in field.allowed,
                      "%s.%s is %s, which is not in the list of values", name, field.name, found)
            if field.count == "metrics":
                found = [struct.unpack("=d", struct.pack("=Q", raw))[0] if is_float else raw
                         for is_float, raw in zip(self.metrics, found)]
            values[field.name] = list(found) if field.count and field.code != "s" else found[0]
            start = end
        self.need(start == len(body), "length %d does not fit %s: expected %d",
                  len(body), name, start)
        return values

    def check_references(self, name, fields, values):
        for field in fields:
            if not field.refers or field.name not in values or field.rank and self.local:
                continue
            found, known = values[field.name], self.ids[field.refers]
            for number in found if field.count else [found]:
                self.need(field.no_id and number == NO_ID or self.key(field.refers, number, values)
                          in known, "%s.%s refers to undefined %s %d",
                          name, field.name, field.refers, number)

    def key(self, space, number, values):
        return (values[SCOPES[space]], number) if space in SCOPES else number

    def define(self, fields, values, offset):
        for field in fields:
            if field.defines:
                number, known = values[field.name], self.ids[field.defines]
                key = self.key(field.defines, number, values)
                self.need(number != NO_ID and key not in known,
                          "%s %d is reserved or already defined", field.defines, number,
                          offset=offset)
                known[key] = next((values[k] for k in ("type", "sizes", "entered")
                                   if k in values), None)

    def extend_chain(self, kind, values):
        """Handles a first record or a continuation of a value of many parts."""
        first = kind in CHAINS
        if first:
            self.chain = (kind, values, self.offset)
            self.lines.append((KINDS[kind][0], values))
        start, whole, _ = self.chain
        _, part, most_first, most_next = CHAINS[start]
        piece = values[part] if first else next(iter(values.values()))
        self.need(len(piece) <= (most_first if first else most_next) and (first or piece),
                  "%d elements in one record", len(piece))
        if not first:
            whole[part] += piece
            shown = as_text(piece) if kind == STRING_CNT else piece
            self.lines.append((KINDS[kind][0], {next(iter(values)): shown}))
        if part == "chars":
            # The first 250 bytes and then one record for each 255 bytes.
            complete = len(self.lines) == whole["cntc"] + 1
            self.check_string(piece, first, complete)
        else:
            size = 0 if part == "ranks" and whole["mode"] & 1 else whole["n"]
            self.need(len(whole[part]) <= size, "%d elements, but the first record announces %d",
                      len(whole[part]), size)
            complete = len(whole[part]) == size
        if complete:
            self.end_chain()

    def check_string(self, piece, first, last):
        end = piece.find(b"\0")
        if not last:
            self.need(end < 0 and len(piece) == (250 if first else 255),
                      "a string that continues needs a full record without NUL")
            return
        self.need(end >= 0, "the string has no NUL at its end")
        self.need(end == len(piece) - 1 or not first and len(piece) == 255,
                  "%d bytes after the NUL of the string", len(piece) - 1 - end)

    def end_chain(self):
        (kind, values, offset), self.chain = self.chain, None
        name, fields = KINDS[kind]
        processes = []
        if name == "STRING":
            values["chars"] = as_text(values["chars"])
        elif name == "MPI_COMM":
            processes = values["members"] = [8 * i + j for i, byte in enumerate(values["members"])
                                             for j in range(8) if byte >> j & 1]
        elif name == "MPI_GROUP":
            processes = range(values["n"]) if values["mode"] & 1 else values["ranks"]
        for process in () if self.local else processes:
            self.need(process in self.ids["process"], "%s refers to undefined process %d",
                      name, process, offset=offset)
        self.define(fields, values, offset)

    def definition(self, kind, name, values):
        """Checks what only this type of definition or attribute needs."""
        if kind in ATTRIBUTES:
            self.attribute = self.offset
            self.need(values["attr"] != ATTRIBUTE_REGION or values["value"] in self.ids["region"],
                      "%s refers to undefined region %d", name, values["value"])
        elif name == "METRIC":
            self.metrics.append(values["datatype"])
        elif name == "OFFSET":
            self.clock_offsets += 1
            self.need(all(map(math.isfinite, values.values())), "OFFSET is not finite")
            self.need(self.clock_offsets <= 2, "more than two OFFSET records")
        elif name == "MAP_SECTION":
            self.clock_offsets = 0
        elif name == "LAST_DEF":
            self.need(not self.ended, "a second LAST_DEF")
            self.ended = True
        elif name == "NUM_EVENTS":
            self.need(not self.num_events, "a second NUM_EVENTS")
            self.num_events = (values["count"], self.offset)
        elif name == "CART_COORDS":
            sizes, coords = self.ids["topology"][values["topid"]], values["coords"]
            self.need(len(sizes) == len(coords) and all(c < s for c, s in zip(coords, sizes)),
                      "coordinates %s do not fit topology sizes %s", coords, sizes)
        elif name == "EVENT_TYPES":
            self.event_types = values["n"]
        elif name == "EVENT_COUNTS":
            self.need(self.event_types == values["n"], "EVENT_COUNTS has %d counts, but "
                      "EVENT_TYPES has %s types", values["n"], self.event_types)

    def event(self, name, values):
        time, location = values["time"], values.get("lid")
        if location is None:
            self.need(len(self.ids["location"]) <= 1, "%s has no location, and the file defines "
                      "%d", name, len(self.ids["location"]))
            location = next(iter(self.ids["location"]), "of the file")
        self.need(math.isfinite(time), "%s has time %r", name, time)
        last = self.times.get(location, time)
        self.need(time >= last, "time %r of location %s is before %r", time, location, last)
        self.times[location] = time
        stack = self.stacks[location]
        if name in OPENS:
            rid = self.ids["callsite"][values["csid"]] if "csid" in values else values.get("rid")
            stack.append((OPENS[name], self.offset, rid))
        elif name in CLOSES:
            opened, offset, rid = stack.pop() if stack else ("nothing", None, None)
            self.need(opened == CLOSES[name], "%s of location %s closes a %s, but open is %s of "
                      "byte %s", name, location, CLOSES[name], opened, offset)
            self.need(name != "OMP_COLLEXIT" or self.ids["region"][rid] in OMP_COLLECTIVE,
                      "OMP_COLLEXIT leaves region %s, which is no OpenMP collective", rid)

    def finish(self):
        self.need(not self.chain, "the file ends inside a value of many records")
        self.need(self.attribute is None, "the file ends, but the attribute of byte %s has no "
                  "event", self.attribute)
        if not self.local:
            self.check_ends()
        count, offset = self.num_events or (self.events, None)
        self.need(count == self.events, "NUM_EVENTS is %d, but the file has %d events",
                  count, self.events, offset=offset)
        for location, stack in self.stacks.items():
            self.need(not stack, "the file ends, but location %s has open %s", location,
                      ", ".join("%s of byte %d" % entry[:2] for entry in stack))


def as_text(chars):
    return chars.split(b"\0")[0].decode("utf-8", "surrogateescape")


def text(value):
    if isinstance(value, list):
        return "[%s]" % ",".join(map(text, value))
    return json.dumps(value) if isinstance(value, str) else repr(value)


def open_trace(path):
    with open(path, "rb") as probe:
        return (gzip.open if probe.read(2) == b"\x1f\x8b" else open)(path, "rb")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Prints and checks an EPILOG trace file.")
    parser.add_argument("--summary", action="store_true", help="print counts per record kind")
    parser.add_argument("--local", action="store_true", help="FILE is not a merged trace")
    parser.add_argument("file")
    options = parser.parse_args(arguments)
    counts = collections.Counter()
    try:
        with open_trace(options.file) as stream:
            for name, values in Reader(stream, options.local):
                counts[name] += 1
                if not options.summary:
                    print(" ".join([name] + ["%s=%s" % (k, text(v)) for k, v in values.items()]))
    except (FormatError, OSError) as error:
        sys.stdout.flush()
        print("%s: %s" % (options.file, error), file=sys.stderr)
        return 1 if isinstance(error, FormatError) else 2
    for name in sorted(counts) if options.summary else ():
        print(name, counts[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
