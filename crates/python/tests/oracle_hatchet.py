"""A GraphFrame of Hatchet. It needs an older pandas than the environment of the data frames has, so
`cargo xtask python` runs this file in that of the readers.
"""

import unittest

import pompeii
from common import experiment


class Hatchet(unittest.TestCase):
    def test_a_graph_frame_has_the_call_tree(self):
        x = pompeii.open(experiment())
        frame = x.to_hatchet(["time", "visits"])
        paths = list(x.call_paths)
        self.assertEqual(len(frame.dataframe), len(paths))
        roots = {root.frame["name"] for root in frame.graph.roots}
        self.assertEqual(roots, {x.path_of(it["call"])[0] for it in paths if it["depth"] == 0})
        totals = x.totals()
        self.assertAlmostEqual(frame.dataframe["time"].sum(), totals["time"])
        inclusive = sum(frame.dataframe.loc[root, "time (inc)"] for root in frame.graph.roots)
        self.assertAlmostEqual(inclusive, totals["time"])
        self.assertEqual(frame.dataframe["visits"].sum(), totals["visits"])


if __name__ == "__main__":
    unittest.main()
