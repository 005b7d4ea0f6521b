"""Properties that a user writes in Python."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import pompeii
from common import experiment, module
from pompeii import _command

MINE = '''
import pompeii

class Late(pompeii.Property):
    """Time between two arrivals."""

    name = "my_wait"
    title = "Waiting of mine"

    def severity(self, t):
        w = t.barriers
        return (w.latest - w.enter).clip(0)
'''


class Wait(pompeii.Property):
    name = "wait"

    def severity(self, t):
        return t.barriers.wait


class Long(pompeii.Property):
    """The part of waiting in visits that wait for more than a millisecond."""

    name = "long_wait"
    parent = "wait"

    def severity(self, t):
        return [wait if wait > 1_000_000 else 0 for wait in t.barriers.values("wait")]


class Visits(pompeii.Property):
    name = "my_visits"
    unit = "occ"

    def severity(self, t):
        return [1] * len(t.visits)


class Longest(Wait):
    """The longest wait of all."""

    name = "longest_wait"
    over_call_paths = "maximum"
    over_locations = "maximum"
    percent_of = "time"


class MeanWait(Wait):
    name = "mean_wait"
    over_locations = "mean"
    percent_of = "time"


class Larger(pompeii.Property):
    name = "larger"
    parent = "wait"

    def severity(self, t):
        return [wait + 1 for wait in t.barriers.values("wait")]


class Negative(pompeii.Property):
    name = "negative"

    def severity(self, t):
        return [-1] * len(t.visits)


class NoNumber(pompeii.Property):
    name = "no_number"

    def severity(self, t):
        return [float("nan")] * len(t.visits)


class Raises(pompeii.Property):
    name = "raises"

    def severity(self, t):
        return t.visits.begin


class Properties(unittest.TestCase):
    def setUp(self):
        self.run_ = pompeii.open(experiment())

    def test_values_are_those_of_the_table(self):
        found = self.run_.analyze([Wait, Long, Visits])
        self.assertEqual((found.errors, found.problems), ([], []))
        barriers = list(self.run_.barriers)
        self.assertEqual(found.total("wait"), sum(it["wait"] for it in barriers))
        self.assertEqual(found.total("my_visits"), len(list(self.run_.visits)))
        self.assertGreater(found.total("long_wait"), 0)
        seconds = found.total("wait") / self.run_.trace.ticks_per_second
        self.assertAlmostEqual(found.totals()["wait"], seconds)
        by_place = {}
        for it in barriers:
            key = (it["call"], it["location"])
            by_place[key] = by_place.get(key, 0) + it["wait"]
        expected = {key: value for key, value in by_place.items() if value != 0}
        self.assertEqual(found.values("wait"), expected)

    def test_barrier_waiting_in_arrays_is_that_of_the_engine(self):
        module("numpy")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mine.py")
            with open(file, "w", encoding="utf-8") as out:
                out.write(MINE)
            from pompeii.properties import load

            found = self.run_.analyze([*load(file), Wait])
            self.assertEqual(found.total("my_wait"), found.total("wait"))
            command = [sys.executable, "-m", "pompeii", "analyze", experiment()]
            command += ["--properties", file]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"^ my_wait +\d+\.\d{6} s\n$")
            self.check_report(found.total("my_wait"))

    def check_report(self, ticks):
        command = [_command.executable(), "report", "--json", experiment()]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        metrics = json.loads(done.stdout)["metrics"]
        mine = [it for it in metrics if it["name"] == "my_wait"]
        self.assertEqual([(it["raw"], it["title"]) for it in mine], [(ticks, "Waiting of mine")])
        again = pompeii.open(experiment())
        description = [it["description"] for it in again.metrics if it["name"] == "my_wait"]
        self.assertEqual(description, ["Time between two arrivals."])
        command = [_command.executable(), "explain", "my_wait", experiment()]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertIn("my_wait: Waiting of mine\n  Time between two arrivals.\n", done.stdout)

    def test_one_that_fails_does_not_stop_the_others(self):
        found = self.run_.analyze([Negative, NoNumber, Raises, Larger, Wait])
        self.assertEqual(list(found.totals()), ["wait"])
        errors = "\n".join(found.errors)
        self.assertIn("Negative: ValueError in a batch of ", errors)
        self.assertIn("the value -1 is negative", errors)
        self.assertIn("NoNumber: ValueError in a batch of ", errors)
        self.assertIn("Raises: AttributeError in a batch of ", errors)
        self.assertIn("of `visits` at location ", errors)
        self.assertRegex(errors, r"Larger: \d+ at call path \d+ and location \d is larger than")

    def test_one_that_is_larger_than_a_property_of_pompeii_is_not_stored(self):
        class Visited(pompeii.Property):
            name = "visited"
            parent = "omp_ebarrier_wait"

            def severity(self, t):
                v = t.visits
                return [end - begin for begin, end in zip(v.values("enter"), v.values("leave"))]

        class Part(Wait):
            name = "part_of_waiting"
            parent = "time"

        found = self.run_.analyze([Visited, Part])
        self.assertEqual(found.errors, [])
        found.store()
        (error,) = found.errors
        where = r"^Visited: \d+ at call path \d+ and location \d is larger than \d+ "
        self.assertRegex(error, where)
        self.assertIn(" of `omp_ebarrier_wait`, whose part it is", error)
        self.assertEqual(list(found.totals()), ["part_of_waiting"])
        names = {it["name"] for it in pompeii.open(experiment()).metrics}
        self.assertEqual(names & {"visited", "part_of_waiting"}, {"part_of_waiting"})

    def test_a_maximum_and_a_mean_are_displayed_without_python(self):
        found = self.run_.analyze([Longest, MeanWait])
        barriers = list(self.run_.barriers)
        locations = len(list(self.run_.trace.locations))
        self.assertEqual(found.total("longest_wait"), max(it["wait"] for it in barriers))
        mean = sum(it["wait"] for it in barriers) / locations
        self.assertEqual(found.total("mean_wait"), mean)
        found.store()
        again = pompeii.open(experiment())
        seconds = found.total("longest_wait") / self.run_.trace.ticks_per_second
        self.assertAlmostEqual(again.totals()["longest_wait"], seconds)
        (row,) = [it for it in again.metrics if it["name"] == "mean_wait"]
        way = (row["over_call_paths"], row["over_locations"], row["percent_of"])
        self.assertEqual(way, ("sum", "mean", "time"))
        command = [_command.executable(), "explain", "longest_wait", experiment()]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        words = "It is displayed as: maximum over call paths and locations; percent of time."
        self.assertIn(words, shown)
        command = [_command.executable(), "report", "--json", experiment()]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        totals = {it["name"]: it["total"] for it in json.loads(done.stdout)["metrics"]}
        self.assertAlmostEqual(totals["longest_wait"], seconds)
        self.assertAlmostEqual(totals["mean_wait"], found.totals()["mean_wait"])

    def test_a_wrong_display_is_an_error(self):
        class Median(Wait):
            over_locations = "median"

        class Part(Longest):
            parent = "wait"

        class OfLongest(Wait):
            name = "of_longest"
            parent = "longest_wait"

        class OfVisits(Wait):
            percent_of = "my_visits"

        class OfNothing(Wait):
            percent_of = "tme"

        expected = {
            Median: "Median: over_locations = 'median'; expected one of sum, maximum, mean",
            Part: "Part is a part of `wait`, but `longest_wait` is no sum: it has over_call_paths",
            OfVisits: "OfVisits: percent_of = 'my_visits' is in occ, and OfVisits is in sec",
        }
        for of, message in expected.items():
            with self.assertRaisesRegex(ValueError, re.escape(message)):
                self.run_.analyze([of, Visits])
        with self.assertRaisesRegex(ValueError, "OfLongest is a part of `longest_wait`, but"):
            self.run_.analyze([OfLongest, Longest])
        with self.assertRaisesRegex(pompeii.PompeiiError, "in percent of `tme`, and there is no"):
            self.run_.analyze([OfNothing]).store()

    def test_properties_of_an_installed_package_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            info = os.path.join(folder, "late_barriers-1.0.dist-info")
            os.mkdir(info)
            files = {
                os.path.join(folder, "late_barriers.py"): MINE,
                os.path.join(info, "METADATA"): "Name: late_barriers\nVersion: 1.0\n",
                os.path.join(info, "entry_points.txt"): (
                    "[pompeii.properties]\nlate = late_barriers:Late\n"
                ),
            }
            for path, text in files.items():
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text)
            sys.path.insert(0, folder)
            self.addCleanup(sys.path.remove, folder)
            self.addCleanup(sys.modules.pop, "late_barriers", None)
            from pompeii.properties import installed

            (late,) = installed()
            self.assertEqual((late.name, late.title), ("my_wait", "Waiting of mine"))

    def test_a_class_that_is_no_property_is_an_error(self):
        class Unnamed(pompeii.Property):
            pass

        class NoTable(pompeii.Property):
            name = "no_table"

            def severity(self, t):
                return t.visit.enter

        with self.assertRaisesRegex(ValueError, "Unnamed: a property needs a name"):
            self.run_.analyze([Unnamed])
        with self.assertRaisesRegex(ValueError, "no table `visit`; expected one of visits,"):
            self.run_.analyze([NoTable])
        with self.assertRaisesRegex(ValueError, "two properties have the same name: wait, wait"):
            self.run_.analyze([Wait, Wait])


if __name__ == "__main__":
    unittest.main()
