"""Events in the order of time, with their links."""

import unittest

import pompeii
from common import experiment
from pompeii._walk import Event, _Links


class Walk(unittest.TestCase):
    def test_all_events_come_in_the_order_of_time(self):
        x = pompeii.open(experiment())
        events = list(x.trace.walk())
        rows = sum(len(rows) for rows in x.events.batches())
        self.assertEqual([it.position for it in events], list(range(rows)))
        self.assertEqual([it.time for it in events], sorted(it.time for it in events))
        self.assertEqual({it.location for it in events}, {0, 1})
        only = list(x.trace.walk(locations=[1]))
        self.assertEqual({it.location for it in only}, {1})
        self.assertLess(len(only), len(events))

    def test_regions_are_linked_in_both_directions(self):
        x = pompeii.open(experiment())
        events = list(x.trace.walk())
        enters = [it for it in events if it.kind == "Enter"]
        for enter in enters:
            self.assertIs(enter.leave.enter, enter)
            self.assertEqual(enter.leave.region, enter.region)
        forks = [it for it in events if it.kind == "ThreadFork"]
        self.assertEqual(len(forks), 1)
        self.assertIs(forks[0].join.fork, forks[0])
        visits = {(it["location"], it["enter"], it["leave"]) for it in x.visits}
        self.assertEqual({(it.location, it.time, it.leave.time) for it in enters}, visits)

    def test_locks_of_a_process_are_linked(self):
        links, events = _Links([0, 0, 1]), []
        for time, location in enumerate((0, 1, 2, 0)):
            event = Event(location, time, "ThreadAcquireLock", None)
            event.fields["lock"] = 7
            links.take(event)
            events.append(event)
        first, second, other, last = events
        self.assertIs(last.before, second)
        self.assertIs(second.after, last)
        self.assertIs(first.after, second)
        # Only one link back is kept.
        self.assertIsNone(second.before)
        self.assertEqual((other.before, other.after), (None, None))


if __name__ == "__main__":
    unittest.main()
