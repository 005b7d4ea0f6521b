"""What traces say of messages, read by the reference library's own reader.

    messages.py matched TRACE           each send has its receive; prints how many there are
    messages.py in-order TRACE ERROR_NS MOST_S
                                        none is received before it was sent, or takes longer than
                                        MOST_S; prints each way and how many messages it had
"""

import sys
from collections import Counter

import otf2
from otf2.events import MpiIrecv, MpiIsend, MpiRecv, MpiSend


def messages(trace):
    """Location, partner's name and event of each message's two sides; partners are ranks of a
    communicator."""
    for location, event in trace.events:
        if isinstance(event, (MpiSend, MpiIsend)):
            partner = event.receiver
        elif isinstance(event, (MpiRecv, MpiIrecv)):
            partner = event.sender
        else:
            continue
        partner = event.communicator.group.members[partner].group.name
        own = location.group.name
        is_sent = isinstance(event, (MpiSend, MpiIsend))
        yield is_sent, (own, partner) if is_sent else (partner, own), event


def matched(trace):
    sent, received = Counter(), Counter()
    for is_sent, way, event in messages(trace):
        side = sent if is_sent else received
        side[(way, event.msg_tag, event.msg_length)] += 1
    assert sent == received, (sent, received)
    print(sum(sent.values()))


def in_order(trace, error_ns, most_s):
    sent, received = {}, {}
    for is_sent, way, event in messages(trace):
        side = sent if is_sent else received
        side.setdefault(way, []).append(event.time / trace.timer_resolution)
    assert sent.keys() == received.keys(), (sent, received)
    for way in sorted(sent):
        took = [end - begin for begin, end in zip(sent[way], received[way], strict=True)]
        assert -int(error_ns) / 1e9 < min(took) and max(took) < float(most_s), (way, took)
        print(way[0], "to", way[1], len(took))


with otf2.reader.open(sys.argv[2]) as opened:
    {"matched": matched, "in-order": in_order}[sys.argv[1]](opened, *sys.argv[3:])
