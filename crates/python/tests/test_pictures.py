"""What notebooks show, and pictures of matplotlib."""

import os
import unittest

import pompeii
from common import experiment, module
from pompeii import _plots


class Pictures(unittest.TestCase):
    def test_a_notebook_shows_the_page_and_first_rows(self):
        x = pompeii.open(experiment())
        page = x._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc=\"&lt;!"), page[:40])
        self.assertNotIn("<script", page)
        alone = pompeii.open(os.path.join(experiment(), "traces.otf2"))
        self.assertIsNone(alone._repr_html_())
        shown = x.events._repr_html_()
        self.assertEqual(shown.count("<tr>"), 11)
        self.assertIn("<tr><th>location</th><th>time</th>", shown)
        self.assertTrue(shown.endswith("<p>This table has more rows.</p>"))
        shown = x.locations._repr_html_()
        self.assertIn("<td>thread 1</td>", shown)
        self.assertTrue(shown.endswith("</table>"))

    def test_bars_of_a_bin_are_as_high_as_its_threads(self):
        module("matplotlib").use("agg")
        rows = [{"begin": 0.0, "end": 0.5, **{f"r{at}": 0.125 for at in range(10)}}]
        axes = _plots.time_profile(rows, None)
        heights = [bar.get_height() for bar in axes.patches]
        self.assertEqual(heights, [0.25] * 8 + [0.5])
        self.assertEqual(axes.patches[-1].get_y(), 2.0)
        axes = pompeii.open(experiment()).plot_time_profile(bins=3)
        tops = [bar.get_y() + bar.get_height() for bar in axes.patches]
        self.assertGreater(max(tops), 0)
        self.assertLessEqual(max(tops), 2.001)

    def test_a_timeline_has_its_boxes_in_rows(self):
        module("matplotlib").use("agg")
        axes = pompeii.open(experiment()).plot_timeline()
        names = [label.get_text() for label in axes.get_yticklabels()]
        self.assertEqual(names, ["thread 0", "thread 1"])
        box = {"location": 1, "region": "work", "depth": 1, "begin": 150, "end": 200, "task": None}
        axes = _plots.timeline([box], ["a", "b"], (100, 10), None)
        (bar,) = axes.collections[-1].get_paths()
        (left, top), (right, bottom) = bar.vertices.min(axis=0), bar.vertices.max(axis=0)
        self.assertEqual((left, right), (5.0, 10.0))
        self.assertAlmostEqual(top, 1.5)
        self.assertAlmostEqual(bottom, 1.95)
        self.assertEqual(axes.get_legend_handles_labels()[1], ["work"])
        # The same region has the same color in the other pictures of a figure.
        below = axes.figure.add_subplot(2, 1, 2)
        long = {**box, "region": "long", "end": 900}
        _plots.timeline([long, box], ["a", "b"], (100, 10), below)
        colors = [part.get_facecolor()[0].tolist() for part in below.collections]
        self.assertEqual(colors[1], axes.collections[-1].get_facecolor()[0].tolist())
        self.assertNotEqual(colors[0], colors[1])

    def test_a_matrix_of_messages_has_a_square_for_each_pair(self):
        module("matplotlib").use("agg")
        axes = _plots.comm_matrix([[0, 8], [4, 0]], "bytes", None)
        (image,) = axes.images
        self.assertEqual(image.get_array().tolist(), [[0, 8], [4, 0]])
        self.assertIs(_plots.comm_matrix([[1]], "count", axes), axes)


if __name__ == "__main__":
    unittest.main()
