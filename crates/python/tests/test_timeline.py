"""Boxes of a timeline, of events by hand."""

import unittest

from pompeii import Event
from pompeii._timeline import timeline
from pompeii._walk import _Links

#: The paper's example: `task1` is suspended in its taskwait, and `task2` is executed there.
EVENTS = [
    (0, "Enter", 0),
    (10, "ThreadTaskSwitch", 1),
    (10, "Enter", 1),
    (30, "Enter", 2),
    (31, "ThreadTaskSwitch", 2),
    (31, "Enter", 3),
    (51, "Leave", 3),
    (51, "ThreadTaskComplete", 2),
    (51, "ThreadTaskSwitch", 1),
    (52, "Leave", 2),
    (60, "Leave", 1),
    (60, "ThreadTaskComplete", 1),
    (70, "Leave", 0),
]
LABELS = ["barrier", "task1", "taskwait", "task2"]


def boxes(interrupted, window=(0, 100)):
    links, events = _Links([0]), []
    for time, kind, what in EVENTS:
        is_task = kind.startswith("ThreadTask")
        event = Event(0, time, kind, None if is_task else what)
        if is_task:
            event.fields = {"team": 0, "creator": 0, "task": what}
        links.take(event)
        events.append(event)
    rows = timeline(events, [0], LABELS, window, interrupted)
    return [(it["region"], it["depth"], it["begin"], it["end"]) for it in rows]


class Timeline(unittest.TestCase):
    def test_regions_of_a_task_are_interrupted_with_it(self):
        expected = [
            ("barrier", 0, 0, 10),
            ("task1", 0, 10, 31),
            ("taskwait", 1, 30, 31),
            ("task2", 0, 31, 51),
            ("task1", 0, 51, 60),
            ("taskwait", 1, 51, 52),
            ("barrier", 0, 60, 70),
        ]
        self.assertEqual(boxes(True), expected)

    def test_without_interruptions_boxes_are_visits(self):
        expected = [
            ("barrier", 0, 0, 70),
            ("task1", 1, 10, 60),
            ("taskwait", 2, 30, 52),
            ("task2", 3, 31, 51),
        ]
        self.assertEqual(boxes(False), expected)

    def test_a_window_cuts_boxes(self):
        self.assertEqual(boxes(True, (20, 31)), [("task1", 0, 20, 31), ("taskwait", 1, 30, 31)])


if __name__ == "__main__":
    unittest.main()
