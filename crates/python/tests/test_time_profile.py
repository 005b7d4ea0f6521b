"""Times by bins, and the critical path."""

import os
import unittest

import pompeii
from common import experiment
from pompeii._time_profile import Bins, Stacks

#: An implicit task, and an explicit one.
IMPLICIT, TASK = (0, 0, 0), (0, 1, 1)


class TimeProfile(unittest.TestCase):
    def test_time_is_divided_at_the_borders_of_bins(self):
        bins = Bins(10, 20, 3)
        self.assertEqual(bins.borders, [10, 13, 16, 20])
        bins.add(7, 12, 17)
        bins.add(7, 19, 25)
        bins.add(8, 13, 13)
        bins.add(9, 13, 16)
        self.assertEqual(bins.ticks, {7: [1, 3, 2], 9: [0, 3, 0]})
        with self.assertRaisesRegex(ValueError, "0 bins; expected at least 1"):
            Bins(10, 20, 0)

    def test_a_task_has_open_regions_of_its_own(self):
        stacks = Stacks()
        seen = []
        for kind, region, task in (
            ("Enter", 1, None),
            ("Enter", 2, None),
            ("ThreadTaskSwitch", None, TASK),
            ("Enter", 3, None),
            ("Enter", 4, None),
            ("ThreadTaskSwitch", None, IMPLICIT),
            ("ThreadTaskSwitch", None, TASK),
            ("Leave", 3, None),
            ("ThreadTaskComplete", None, TASK),
            ("Leave", 9, None),
            ("Leave", 1, None),
        ):
            stacks.take(kind, region, task or IMPLICIT)
            seen.append(stacks.region())
        self.assertEqual(seen, [1, 2, 2, 3, 4, 2, 4, 2, 2, 2, None])

    def test_bins_have_all_of_the_time(self):
        alone = pompeii.open(os.path.join(experiment(), "traces.otf2"))
        barriers = [it for it in alone.flat_profile("time") if "barrier" in it["region"]]
        self.assertGreaterEqual(len(barriers), 2)
        rows = pompeii.open(experiment()).time_profile(bins=13)
        self.assertEqual((len(rows), rows[0]["begin"]), (13, 0))
        for of in barriers:
            seconds = sum(row[of["region"]] for row in rows)
            self.assertAlmostEqual(seconds, of["time"])

    def test_the_critical_path_is_as_long_as_the_run(self):
        x = pompeii.open(experiment())
        path = x.critical_path()
        length = (x.trace.end - x.trace.begin) / x.trace.ticks_per_second
        self.assertAlmostEqual(sum(it["seconds"] for it in path), length)
        self.assertAlmostEqual(sum(it["share"] for it in path), 1)
        self.assertEqual(path, sorted(path, key=lambda it: -it["seconds"]))
        self.assertTrue(all(it["path"][0] == "late" for it in path))
        report = pompeii.open(os.path.join(experiment(), "profile.cubex"))
        with self.assertRaisesRegex(pompeii.PompeiiError, "pompeii run --trace"):
            report.critical_path()


if __name__ == "__main__":
    unittest.main()
