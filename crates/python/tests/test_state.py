"""States at moments, and questions in pipit's names."""

import unittest

import pompeii
from common import experiment, late_wait
from pompeii._state import State, _Locks


def acquisition(order, since, acquired, released):
    return {
        "lock": 7,
        "order": order,
        "since": since,
        "acquired": acquired,
        "released": released,
    }


class States(unittest.TestCase):
    def test_a_waiting_thread_is_in_its_barrier(self):
        x = pompeii.open(experiment())
        wait = late_wait(x)
        middle = wait["begin"] + wait["ticks"] // 2
        before, state = x.trace.states_at([x.trace.begin - 1, middle])
        self.assertEqual((before.stacks, before.barriers), ({}, {}))
        regions = [it["role"] for it in x.trace.regions]
        region_of = {it["call"]: it["region"] for it in x.calls}
        roles = [
            [regions[region_of[it["call"]]] for it in state.stack(location)]
            for location in (0, 1)
        ]
        self.assertEqual(roles[0][-2:], ["parallel", "barrier"])
        self.assertEqual(roles[1][-1], "parallel")
        self.assertEqual(state.stack(0)[-1]["visit"], wait["visit"])
        self.assertEqual([it["location"] for it in state.barriers[wait["causer"]]], [0])
        (team,) = state.teams.values()
        self.assertEqual(sorted(it["location"] for it in team), [0, 1])
        self.assertEqual((state.messages, state.locks, state.ready), ([], [], []))

    def test_a_lock_has_its_holder_and_those_that_wait(self):
        first, second = acquisition(1, 10, 10, 0), acquisition(2, 12, 30, 28)

        def held(time):
            locks = _Locks(time)
            for row in (second, first):
                locks.take(3, row)
            return list(locks.held())

        self.assertEqual(held(9), [])
        (of,) = held(20)
        self.assertEqual((of.lock, of.process, of.by, of.released), (7, 3, first, 28))
        self.assertEqual(of.waiters, [second])
        (of,) = held(11)
        self.assertEqual(of.waiters, [])
        self.assertEqual(held(29), [])
        (of,) = held(35)
        self.assertEqual((of.by, of.released, of.waiters), (second, None, []))

    def test_tasks_are_ready_until_they_begin(self):
        state = State(20)
        for created, begun in ((5, 30), (5, 20), (0, 30)):
            state.take("tasks", {"created": created, "begun": begun, "ended": 40})
        self.assertEqual([it["begun"] for it in state.ready], [30])
        self.assertEqual([it["begun"] for it in state.active], [20])


class Views(unittest.TestCase):
    def setUp(self):
        self.run_ = pompeii.open(experiment())

    def test_a_flat_profile_has_all_of_a_metric(self):
        x = self.run_
        profile = x.flat_profile("omp_ebarrier_wait")
        self.assertEqual(len(profile), 1)
        self.assertTrue(profile[0]["region"].startswith("barrier"), profile)
        total = x.totals()["omp_ebarrier_wait"]
        self.assertAlmostEqual(profile[0]["omp_ebarrier_wait"], total)
        self.assertAlmostEqual(sum(it["share"] for it in x.flat_profile()), 1)
        with self.assertRaisesRegex(KeyError, "no metric `tim`; expected one of time,"):
            x.flat_profile("tim")

    def test_imbalance_is_most_by_mean(self):
        x = self.run_
        rows = [it for it in x.load_imbalance() if it["region"].startswith("parallel")]
        self.assertEqual([it["location"] for it in rows], ["thread 1"])
        (comp,) = [it["metric"] for it in x.metrics if it["name"] == "comp"]
        (region,) = [it["region"] for it in x.regions if it["role"] == "parallel"]
        calls = {it["call"] for it in x.call_paths if it["region"] == region}
        of = [it for it in x.severities if it["metric"] == comp and it["call"] in calls]
        one, other = (sum(it["value"] for it in of if it["location"] == at) for at in (0, 1))
        self.assertAlmostEqual(rows[0]["imbalance"], other / ((one + other) / 2))
        self.assertAlmostEqual(rows[0]["most"], other / x.ticks_per_second)

    def test_waiting_threads_are_idle(self):
        x = self.run_
        idle = x.idle_time()
        self.assertEqual([it["location"] for it in idle], ["thread 0", "thread 1"])
        self.assertGreater(idle[0]["share"], 0)
        for location, it in enumerate(idle):
            ticks = sum(wait["ticks"] for wait in x.waits if wait["location"] == location)
            self.assertAlmostEqual(it["seconds"], x.trace.seconds(ticks))

    def test_messages_are_between_ranks(self):
        x = self.run_
        self.assertEqual(x.comm_matrix(), [[0]])
        with self.assertRaisesRegex(ValueError, "expected bytes or count"):
            x.comm_matrix("sum")


if __name__ == "__main__":
    unittest.main()
