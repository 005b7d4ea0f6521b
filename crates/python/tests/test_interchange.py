"""Data frames and databases of others take the tables, with the same rows."""

import unittest

import pompeii
from common import experiment, module


class Interchange(unittest.TestCase):
    def setUp(self):
        self.run_ = pompeii.open(experiment())

    def test_pyarrow_has_the_same_rows(self):
        pyarrow = module("pyarrow")
        for name in self.run_.tables:
            table = self.run_.table(name)
            taken = pyarrow.table(table)
            taken.validate(full=True)
            self.assertEqual(taken.column_names, table.columns)
            # Each of the two is made by an analysis of its own. Call paths come in any order.
            order = repr if name == "trace.calls" else lambda row: 0
            expected = sorted(table, key=order)
            self.assertEqual(sorted(taken.to_pylist(), key=order), expected, name)

    def test_pyarrow_takes_a_batch(self):
        pyarrow = module("pyarrow")
        for rows in self.run_.visits.batches():
            batch = pyarrow.record_batch(rows)
            self.assertEqual(batch.column("enter").to_pylist(), rows.values("enter"))

    def test_pandas_groups_severities(self):
        module("pandas")
        severities = self.run_.severities.to_pandas()
        sums = severities.groupby("metric")["value"].sum()
        numbers = {it["name"]: it["metric"] for it in self.run_.metrics}
        wall = self.run_.wall_ticks * len(list(self.run_.locations))
        self.assertEqual(int(sums[numbers["time"]]), wall)
        self.assertIn("Enter", set(self.run_.events.to_pandas()["event"]))

    def test_polars_joins_waits_with_visits(self):
        module("polars")
        waits, visits = self.run_.waits.to_polars(), self.run_.visits.to_polars()
        joined = waits.join(visits, on="visit", how="inner")
        self.assertEqual(joined.height, waits.height)

    def test_duckdb_queries_a_stream(self):
        duckdb = module("duckdb")
        barriers = self.run_.barriers
        query = "select count(*), sum(wait) from barriers"
        number, wait = duckdb.sql(query).fetchall()[0]
        rows = list(self.run_.barriers)
        self.assertEqual((number, wait), (len(rows), sum(it["wait"] for it in rows)))
        del barriers


if __name__ == "__main__":
    unittest.main()
