"""How values of a property become one: by hand, without a run."""

import unittest

from pompeii._display import Combined, combine, with_more

#: By location: the values of call paths. The last location has none.
VALUES = [[4, 6, 2], [10, 20], []]


class Display(unittest.TestCase):
    def test_values_are_combined_over_call_paths_and_then_over_locations(self):
        expected = {
            ("sum", "sum"): 42,
            ("maximum", "maximum"): 20,
            ("sum", "maximum"): 30,
            ("maximum", "sum"): 26,
            ("sum", "mean"): 14,
            ("mean", "maximum"): 15,
            ("mean", "mean"): 19 / 3,
        }
        for (over_call_paths, over_locations), total in expected.items():
            combined = Combined(over_call_paths, over_locations, len(VALUES))
            for location, values in enumerate(VALUES):
                for value in values:
                    combined.add(location, value)
            self.assertEqual(combined.value(), total, (over_call_paths, over_locations))

    def test_no_values_are_0(self):
        self.assertEqual([combine([], how) for how in ("sum", "maximum", "mean")], [0, 0, 0])

    def test_a_maximum_over_call_paths_is_one_over_visits(self):
        class Way:
            over_call_paths = "maximum"

        self.assertEqual(with_more(Way, 7, 5), 7)
        Way.over_call_paths = "mean"
        self.assertEqual(with_more(Way, 7, 5), 12)


if __name__ == "__main__":
    unittest.main()
