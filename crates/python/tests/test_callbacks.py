"""Properties that take a trace event by event."""

import functools
import gc
import os
import subprocess
import unittest

import pompeii
from common import experiment, folder
from pompeii import Event
from pompeii._walk import Tasks, _Links


@functools.lru_cache(maxsize=None)
def messages() -> str:
    """The anchor of a trace in which processes exchange messages; a program of the crate `replay`
    writes it, because MPI is not everywhere."""
    writer = os.environ.get("POMPEII_TRACE_WRITER")
    if writer is None:
        if os.environ.get("POMPEII_ORACLES") == "1":
            raise AssertionError("POMPEII_TRACE_WRITER names no program")
        raise unittest.SkipTest("POMPEII_TRACE_WRITER names no program")
    to = os.path.join(folder().name, "messages")
    command = [writer, to, "halo", "4", "1", "4000"]
    subprocess.run(command, check=True, capture_output=True)
    return os.path.join(to, "traces.otf2")


class BarrierWait(pompeii.Property):
    """Waiting at barriers, when they are left."""

    name = "barrier_wait"

    def on_leave(self, event):
        row = event.row("barriers")
        if row is not None:
            self.add(event, max(row["latest"] - event.enter.time - row["task_ticks"], 0))


class Barriers(pompeii.Property):
    name = "barrier_rows"

    def severity(self, t):
        return t.barriers.wait


class LateSender(pompeii.Property):
    """As EXPERT has it: the sender enters its call later than the receiver. A call that receives
    several messages waits for the last one of them."""

    name = "late_sender"

    def __init__(self):
        self.receives = []

    def on_receive(self, event):
        self.receives.append(event)

    def on_leave(self, event):
        own = [it for it in self.receives if it.enter is event.enter]
        self.receives = [it for it in self.receives if it.enter is not event.enter]
        began = max((it.send.enter.time for it in own), default=0)
        self.add(event, max(min(began, event.time) - event.enter.time, 0))


class Visits(pompeii.Property):
    name = "visits_by_events"
    unit = "occ"

    def on_enter(self, event):
        self.add(event, 1)


class VisitRows(pompeii.Property):
    name = "visits_by_rows"
    unit = "occ"

    def severity(self, t):
        return [1] * len(t.visits)


class Sends(pompeii.Property):
    """Bytes, at the sender."""

    name = "received_bytes_of_senders"
    unit = "bytes"

    def on_receive(self, event):
        self.add(event.send, event.fields["bytes"])


class Callbacks(unittest.TestCase):
    def test_barrier_waiting_is_that_of_rows_and_of_the_engine(self):
        x = pompeii.open(experiment())
        found = x.analyze([BarrierWait, Barriers, Visits, VisitRows])
        self.assertEqual((found.errors, found.problems), ([], []))
        self.assertGreater(found.total("barrier_wait"), 0)
        self.assertEqual(found.values("barrier_wait"), found.values("barrier_rows"))
        self.assertEqual(found.values("visits_by_events"), found.values("visits_by_rows"))

    def test_late_senders_are_those_of_the_engine(self):
        x = pompeii.open(messages())
        found = x.analyze([LateSender, Sends])
        self.assertEqual((found.errors, found.problems), ([], []))
        (metric,) = [it for it in x.metrics if it["name"] == "mpi_latesender"]
        engine = sum(it["value"] for it in x.severities if it["metric"] == metric["metric"])
        self.assertGreater(engine, 0)
        self.assertEqual(found.total("late_sender"), engine)
        length = sum(sum(rows.values("bytes")) for rows in x.messages.batches())
        self.assertEqual(found.total("received_bytes_of_senders"), length)

    def test_messages_are_linked_in_both_directions(self):
        receives = [it for it in pompeii.open(messages()).trace.walk() if it.send is not None]
        self.assertEqual(len(receives), len(list(pompeii.open(messages()).messages)))
        for it in receives:
            self.assertIs(it.send.receive, it)
            self.assertEqual(it.send.fields["bytes"], it.fields["bytes"])

    def test_a_send_has_its_receive_at_once(self):
        x = pompeii.open(messages())
        for event in x.events(kinds=["send"]):
            self.assertIs(event.receive.send, event)
            self.assertGreater(event.receive.position, event.position)

    def test_memory_follows_what_is_open(self):
        most = total = 0
        for event in pompeii.open(messages()).events():
            if event.kind in ("MpiSend", "MpiIsend"):
                self.assertIsNotNone(event.receive)
            if event.position % 500 == 0:
                gc.collect()
                most = max(most, sum(isinstance(it, Event) for it in gc.get_objects()))
            total += 1
        self.assertGreater(total, 4000)
        self.assertLess(most, 200)

    def test_one_that_fails_does_not_stop_the_others(self):
        class Negative(pompeii.Property):
            name = "negative"

            def on_leave(self, event):
                self.add(event, -1)

        class NoNumber(pompeii.Property):
            name = "no_number"

            def on_event(self, event):
                self.add(event, float("nan"))

        class Fork(pompeii.Property):
            name = "fork"

            def on_fork(self, event):
                return event.nothing

        found = pompeii.open(experiment()).analyze([Negative, NoNumber, Fork, Visits])
        self.assertEqual(list(found.totals()), ["visits_by_events"])
        errors = "\n".join(found.errors)
        self.assertRegex(errors, r"Negative: ValueError in on_leave, event \d+: <Leave at \d+ on ")
        self.assertIn("the value -1 is negative", errors)
        self.assertRegex(errors, r"NoNumber: ValueError in on_event, event 0: ")
        self.assertRegex(errors, r"Fork: AttributeError in on_fork, event \d+: <ThreadFork at ")

    def test_a_callback_of_no_kind_is_an_error(self):
        class Odd(pompeii.Property):
            name = "odd"

            def on_arrival(self, event):
                pass

        with self.assertRaisesRegex(ValueError, "Odd: no callback `on_arrival`; expected one of"):
            pompeii.open(experiment()).analyze([Odd])


def event(location, time, kind, **fields):
    made = Event(location, time, kind, None)
    made.fields = fields
    return made


class Stacks(unittest.TestCase):
    def test_each_task_has_a_stack_of_its_own(self):
        links = _Links([0])
        one, two = ({"team": 1, "creator": 0, "task": number} for number in (1, 2))
        events = [
            event(0, 1, "Enter"),
            event(0, 2, "ThreadTaskSwitch", **one),
            event(0, 3, "Enter"),
            event(0, 4, "ThreadTaskSwitch", **two),
            event(0, 5, "Enter"),
            event(0, 6, "ThreadTaskSwitch", **one),
            event(0, 7, "Leave"),
            event(0, 8, "ThreadTaskComplete", **one),
            event(0, 9, "ThreadTaskSwitch", **two),
            event(0, 10, "Leave"),
            event(0, 11, "ThreadTaskComplete", **two),
            event(0, 12, "Leave"),
        ]
        for it in events:
            links.take(it)
        leaves = [(it.enter.time, it.time) for it in events if it.kind == "Leave"]
        self.assertEqual(leaves, [(3, 7), (5, 10), (1, 12)])
        self.assertEqual(events[2].task, (1, 0, 1))
        self.assertIsNone(events[-1].task)

    def test_an_inner_team_of_a_task_has_an_implicit_task_of_its_own(self):
        tasks = Tasks(0, 0)
        tasks.take(event(0, 1, "ThreadTaskSwitch", team=1, creator=0, task=1))
        tasks.take(event(0, 2, "ThreadTeamBegin", team=2))
        inner = tasks.stack
        tasks.take(event(0, 3, "ThreadTaskSwitch", team=2, creator=0, task=1))
        self.assertNotEqual(tasks.stack, inner)
        tasks.take(event(0, 4, "ThreadTaskSwitch", team=2, creator=0, task=0))
        self.assertEqual(tasks.stack, inner)
        tasks.take(event(0, 5, "ThreadTeamEnd", team=2))
        self.assertEqual(tasks.current, (1, 0, 1))


if __name__ == "__main__":
    unittest.main()
