"""Reads the tables of `pompeii convert --to parquet` with pyarrow and duckdb, and compares each value
with those of `--to csv`.

    read_parquet.py FOLDER FOLDER_OF_CSV
"""

import csv
import glob
import os
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as parquet

binary, text = sys.argv[1:]
TYPES = {pa.uint32(), pa.uint64(), pa.int64(), pa.string()}
names = sorted(os.path.splitext(os.path.basename(it))[0] for it in glob.glob(f"{binary}/*.parquet"))
cells = 0
for name in names:
    path = f"{binary}/{name}.parquet"
    table = parquet.read_table(path)
    with open(f"{text}/{name}.csv", newline="") as file:
        head, *rows = csv.reader(file)
    assert table.column_names == head, (name, table.column_names, head)
    assert all(field.type in TYPES and not field.nullable for field in table.schema), table.schema
    columns = [[str(cell) for cell in column.to_pylist()] for column in table.columns]
    assert [list(row) for row in zip(*columns)] == rows, name
    cells += table.num_rows * table.num_columns
    counted = duckdb.sql(f"select count(*) from '{path}'").fetchall()[0][0]
    assert counted == len(rows), (name, counted, len(rows))

# The numbers of visits join tables: each one around another is a visit, and lasts as long.
found = duckdb.sql(
    f"""
    select count(*), count(*) filter (o.enter > i.enter or o.leave < i.leave)
    from '{binary}/visits.parquet' i join '{binary}/visits.parquet' o on i.parent = o.visit
    where i.location = o.location and i.task = o.task
    """
).fetchall()[0]
assert found[0] > 0 and found[1] == 0, found
print(f"{len(names)} tables, {cells} cells")
