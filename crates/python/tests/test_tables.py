"""The tables of a run agree with each other."""

import os
import tempfile
import unittest
from collections import Counter

import pompeii
from common import experiment, late_wait


class Tables(unittest.TestCase):
    def setUp(self):
        self.run_ = pompeii.open(experiment())

    def sum_of(self, metric):
        numbers = {it["name"]: it["metric"] for it in self.run_.metrics}
        rows = (it for it in self.run_.severities if it["metric"] == numbers[metric])
        return sum(it["value"] for it in rows)

    def test_time_is_wall_time_of_all_locations_to_the_tick(self):
        x = self.run_
        locations = list(x.locations)
        self.assertEqual(x.program, "late")
        self.assertEqual([it["name"] for it in locations], ["thread 0", "thread 1"])
        self.assertEqual(self.sum_of("time"), x.wall_ticks * len(locations))
        seconds = x.wall_ticks * len(locations) / x.ticks_per_second
        self.assertAlmostEqual(x.totals()["time"], seconds, places=6)

    def test_call_paths_lead_to_regions(self):
        x = self.run_
        paths = list(x.call_paths)
        for path in paths:
            self.assertTrue(path["parent"] is None or path["parent"] < path["call"])
        barriers = [it["region"] for it in x.regions if it["role"] == "barrier"]
        calls = [it["call"] for it in paths if it["region"] in barriers]
        self.assertTrue(calls)
        labels = x.path_of(calls[0])
        self.assertTrue(labels[-1].startswith("barrier"), labels)
        self.assertEqual(len(labels), paths[calls[0]]["depth"] + 1)

    def test_events_are_balanced_and_in_order(self):
        trace = self.run_.trace
        kinds, last = Counter(), {}
        for rows in trace.events.batches():
            locations = rows.values("location")
            self.assertEqual(len(set(locations)), 1)
            for location, time, kind in zip(locations, rows.values("time"), rows.values("event")):
                self.assertLessEqual(last.get(location, trace.begin), time)
                last[location] = time
                kinds[kind] += 1
        self.assertEqual(kinds["Enter"], kinds["Leave"])
        self.assertGreater(kinds["Enter"], 0)
        self.assertEqual(len(last), 2)

    def test_visits_are_the_events_of_regions(self):
        x = self.run_
        enters = sum(rows.values("event").count("Enter") for rows in x.events.batches())
        visits = list(x.visits)
        self.assertEqual(len(visits), enters)
        known = {it["visit"] for it in visits}
        self.assertEqual(len(known), len(visits))
        self.assertTrue({it["parent"] for it in visits} <= known | {0})
        calls = {it["call"] for it in x.calls}
        self.assertTrue({it["call"] for it in visits} <= calls)

    def test_the_late_thread_is_the_cause_of_waiting(self):
        wait = late_wait(self.run_)
        places = (wait["kind"], wait["location"], wait["causer_location"])
        self.assertEqual(places, (0, 0, 1))
        barriers = [it for it in self.run_.barriers if it["visit"] == wait["visit"]]
        self.assertEqual([it["wait"] for it in barriers], [wait["ticks"]])

    def test_columns_are_arrays_with_names(self):
        for rows in self.run_.barriers.batches():
            waiting = sum(int(it) for it in rows.latest) - sum(int(it) for it in rows["enter"])
            self.assertGreaterEqual(waiting, 0)
            with self.assertRaisesRegex(AttributeError, "no column `lates`; expected one of"):
                rows.lates
        self.assertEqual(self.run_.visits.columns[:4], ["location", "visit", "enter", "leave"])
        self.assertEqual(self.run_.visits.types["enter"], "UInt64")

    def test_a_table_that_is_not_read_to_its_end_ends(self):
        for _ in range(3):
            batches = self.run_.visits.batches()
            next(batches)
            batches.close()

    def test_what_is_missing_is_an_error(self):
        with self.assertRaisesRegex(FileNotFoundError, "no such file or folder"):
            pompeii.open(os.path.join(experiment(), "none"))
        with tempfile.TemporaryDirectory() as empty:
            with self.assertRaisesRegex(pompeii.PompeiiError, "no profile.cubex"):
                pompeii.open(empty)
        with self.assertRaisesRegex(KeyError, "no table `visit`; expected one of metrics,"):
            self.run_.table("visit")

    def test_a_report_alone_has_no_trace(self):
        x = pompeii.open(os.path.join(experiment(), "profile.cubex"))
        self.assertFalse(x.has_trace)
        self.assertGreater(x.totals()["time"], 0)
        with self.assertRaisesRegex(pompeii.PompeiiError, "pompeii run --trace"):
            list(x.visits)

    def test_a_trace_alone_has_severities(self):
        x = pompeii.open(os.path.join(experiment(), "traces.otf2"))
        self.assertGreater(x.totals()["omp_ebarrier_wait"], 0)


class OneTable(unittest.TestCase):
    def test_visits_alone_are_those_next_to_what_the_engine_finds(self):
        x = pompeii.open(experiment())
        with_others = []
        for table, _, batch in x._run.facts(["visits", "waits"]):
            if table == "visits":
                columns = [batch.values(name) for name in batch.names]
                with_others += [dict(zip(batch.names, row)) for row in zip(*columns)]
        alone = list(x.visits)
        self.assertGreater(len(alone), 4)
        by_number = lambda row: row["visit"]  # noqa: E731
        self.assertEqual(sorted(alone, key=by_number), sorted(with_others, key=by_number))


if __name__ == "__main__":
    unittest.main()
