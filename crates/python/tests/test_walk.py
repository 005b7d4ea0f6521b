"""Events in the order of time, with their links."""

import os
import unittest

import pompeii
from common import experiment
from pompeii import Event
from pompeii._event import KINDS
from pompeii._walk import _Links, _Meetings

#: A trace with the events of two processes of two threads each.
HYBRID = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../otf2/tests/samples/hybrid/traces.otf2"
)


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
        self.assertEqual((other.before, other.after), (None, None))

    def test_a_lock_is_released_by_the_location_that_has_it(self):
        links = _Links([0, 0])
        kinds = ["ThreadAcquireLock", "ThreadReleaseLock", "ThreadAcquireLock", "ThreadReleaseLock"]
        events = [Event(location, 0, kind, None) for location, kind in zip((0, 0, 1, 0), kinds)]
        for event in events:
            event.fields["lock"] = 7
            links.take(event)
        first, release, second, odd = events
        self.assertIs(first.release, release)
        self.assertIs(release.acquire, first)
        # The trace has the release of another location, which is damage.
        self.assertEqual((second.release, odd.acquire), (None, None))

    def test_tasks_are_linked_from_their_creation_to_their_end(self):
        links = _Links([0, 0])
        times = [
            (0, "ThreadTaskCreate", 1),
            (0, "ThreadTaskCreate", 2),
            (1, "ThreadTaskSwitch", 2),
            (1, "ThreadTaskSwitch", 1),
            (1, "ThreadTaskSwitch", 2),
            (1, "ThreadTaskComplete", 2),
            (1, "ThreadTaskComplete", 1),
        ]
        events = []
        for time, (location, kind, task) in enumerate(times):
            event = Event(location, time, kind, None)
            event.fields = {"team": 3, "creator": 0, "task": task}
            links.take(event)
            events.append(event)
        one, two = events[:2]
        self.assertEqual([one.execution, one.complete], [events[3], events[6]])
        self.assertEqual([two.execution, two.complete], [events[2], events[5]])
        self.assertEqual([it.create for it in events[2:]], [two, one, two, two, one])


    def test_non_blocking_operations_meet_in_the_order_of_their_begins(self):
        """Both locations begin A and then B on communicator 7. Location 0 completes B first, begins
        C on communicator 8 between them, and has a blocking operation, which counts apart.
        """
        request, complete = "NonBlockingCollectiveRequest", "NonBlockingCollectiveComplete"
        steps = [
            (0, request, 1, None),
            (1, request, 1, None),
            (0, request, 5, None),
            (0, request, 2, None),
            (1, request, 2, None),
            (0, "MpiCollectiveEnd", None, 7),
            (0, complete, 2, 7),
            (1, complete, 1, 7),
            (0, complete, 1, 7),
            (1, complete, 2, 7),
            (0, complete, 5, 8),
            (1, complete, 9, 7),
        ]
        links = _Links([0, 1], None, _Meetings({7: 2, 8: 1}, []))
        events = []
        for time, (location, kind, number, communicator) in enumerate(steps):
            event = Event(location, time, kind, None)
            event.position = time
            fields = {"request": number, "communicator": communicator}
            event.fields = {name: it for name, it in fields.items() if it is not None}
            links.take(event)
            events.append(event)
            if time == 8:
                # B of location 0 waits for its number, because C may be on the same communicator.
                self.assertEqual([it.position for it in events[6].members], [6])
        members = [[it.position for it in event.members] for event in events[5:]]
        self.assertEqual(members, [[5], [6, 9], [7, 8], [7, 8], [6, 9], [10], [11]])
        self.assertEqual([event.members for event in events[:5]], [[]] * 5)


class Ahead(unittest.TestCase):
    """Links in the direction of time, when a program asks for them early."""

    def test_an_enter_has_its_leave_at_once(self):
        x = pompeii.open(experiment())
        leaves = {it.leave for it in x.trace.events(kinds=["enter"])}
        self.assertEqual(len(leaves), len(list(x.visits)))
        events = []
        for event in x.events():
            if event.kind in ("Enter", "ThreadFork"):
                self.assertIsNotNone(event.leave or event.join)
            events.append(event)
        self.assertEqual([it.position for it in events], list(range(len(events))))
        self.assertEqual([it.time for it in events], sorted(it.time for it in events))
        for enter in (it for it in events if it.kind == "Enter"):
            self.assertIs(events[enter.leave.position], enter.leave)

    def test_rows_of_leaves_are_there_although_links_were_followed(self):
        x = pompeii.open(experiment())
        rows = 0
        for event in x.events():
            if event.kind == "Enter":
                self.assertIsNotNone(event.leave)
            if event.kind == "Leave":
                row = event.row("visits")
                self.assertEqual((row["enter"], row["leave"]), (event.enter.time, event.time))
                rows += 1
        self.assertEqual(rows, len(list(x.visits)))

    def test_a_barrier_has_its_members_at_its_first_leave(self):
        x = pompeii.open(experiment())
        explicit = {it["region"] for it in x.trace.regions if it["role"] == "barrier"}
        leaves = [it for it in x.events(kinds=["Leave"]) if it.region in explicit]
        self.assertEqual(len(leaves), 2)
        first = next(it for it in x.events(kinds=["Leave"]) if it.region in explicit)
        self.assertEqual(sorted(it.location for it in first.members), [0, 1])
        self.assertIn(first, first.members)
        self.assertEqual({it.region for it in first.members}, explicit)
        self.assertEqual(first.enter.members, [])

    def test_members_of_collective_operations_are_those_of_the_engine(self):
        x = pompeii.open(HYBRID)
        instances, members = {}, {}
        for row in x.trace.communicators:
            members.setdefault(row["communicator"], []).append(row["location"])
        for row in x.collectives:
            key = (row["comm"], row["number"])
            instances.setdefault(key, set()).add((row["location"], row["end"]))
        instance_of = {it: of for of in instances.values() for it in of}
        compared = 0
        for event in x.events(kinds=["collective"]):
            of = instance_of.get((event.location, event.time))
            if of is not None:
                # The engine has no rows of those that cannot wait.
                self.assertLessEqual(of, {(it.location, it.time) for it in event.members})
                compared += len(of) == 2
            locations = [it.location for it in event.members]
            self.assertEqual(sorted(locations), members[event.fields["communicator"]])
        self.assertGreater(compared, 3)
        ends = list(x.events(kinds=["NonBlockingCollectiveComplete"]))
        self.assertEqual(len(ends), 2)
        for event in x.events(kinds=["NonBlockingCollectiveComplete"]):
            locations = [it.location for it in event.members]
            self.assertEqual(sorted(locations), members[event.fields["communicator"]])

    def test_all_links_of_a_hybrid_trace_are_found_at_once(self):
        links = {
            "send": ("receive", "send"),
            "fork": ("join", "fork"),
            "acquire": ("release", "acquire"),
            "task_create": ("complete", "create"),
        }
        found = {kind: 0 for kind in links}
        for event in pompeii.open(HYBRID).events(kinds=links):
            kind = KINDS[event.kind]
            forward, back = links[kind]
            other = getattr(event, forward)
            self.assertIs(getattr(other, back), event)
            self.assertGreater(other.position, event.position)
            found[kind] += 1
        self.assertTrue(all(found.values()), found)

    def test_a_link_that_is_too_far_is_an_error(self):
        first = next(pompeii.open(experiment()).events(kinds=["Enter"], ahead=1))
        with self.assertRaisesRegex(LookupError, "its link `leave` is more than 1 events ahead"):
            first.leave

    def test_events_are_chosen_by_kind_location_and_time(self):
        x = pompeii.open(experiment())
        events = list(x.events())
        middle = events[len(events) // 2].time
        window = {"begin": middle, "end": middle + 10**12}
        chosen = list(x.events(["enter", "Leave"], locations=[1], **window))
        expected = [
            it.position
            for it in events
            if it.kind in ("Enter", "Leave") and it.location == 1 and it.time >= middle
        ]
        self.assertEqual([it.position for it in chosen], expected)
        self.assertEqual(list(x.events(end=x.trace.begin - 1)), [])
        with self.assertRaisesRegex(ValueError, "no kind `entry`; expected enter, leave, send"):
            x.events(["entry"])
        with self.assertRaisesRegex(ValueError, "no location 2; the trace has 0 to 1"):
            x.events(locations=[0, 2])
        with self.assertRaisesRegex(TypeError, r"a list of names, for example \['enter'\]"):
            x.events("enter")
        with self.assertRaisesRegex(ValueError, "ahead = 0; expected at least 1"):
            x.events(ahead=0)


if __name__ == "__main__":
    unittest.main()
