"""Prints all values of a report as pycubexr reads them, for tests/oracle_pycubexr.rs.

One line per metric, call path and mode: integers in decimal, doubles as the hexadecimal digits of
their bits, so that the comparison is exact.
"""

import struct
import sys

import numpy as np
from pycubexr import CubexParser


def bits(number):
    return struct.pack(">d", float(number)).hex()


def show(value):
    if isinstance(value, np.void) or isinstance(value, tuple):
        return ",".join(show(part) for part in value)
    if isinstance(value, np.ndarray):
        return ",".join(show(part) for part in value)
    if isinstance(value, np.complexfloating):
        return f"{bits(value.real)},{bits(value.imag)}"
    if isinstance(value, np.integer):
        return str(int(value))
    return bits(value)


def line(metric, cnode, mode, values):
    values = getattr(values, "_values", values)
    print(f"{metric.name} {cnode.id} {mode}: {' '.join(show(value) for value in values)}")


with CubexParser(sys.argv[1]) as report:
    for metric in report.all_metrics():
        rows = report.get_metric_values(metric, allow_full_uint64_values=True)
        for cnode in report.all_cnodes():
            if cnode.id in rows.cnode_indices:
                line(metric, cnode, "stored", rows.cnode_values(cnode))
            else:
                print(f"{metric.name} {cnode.id} stored: zero")
            if metric.data_type in ("DOUBLE", "INT64"):
                inclusive = metric.metric_type == "INCLUSIVE"
                exclusive_values = rows.cnode_values(cnode, convert_to_exclusive=inclusive)
                inclusive_values = rows.cnode_values(cnode, convert_to_inclusive=not inclusive)
                line(metric, cnode, "exclusive", np.asarray(exclusive_values, dtype=float))
                line(metric, cnode, "inclusive", np.asarray(inclusive_values, dtype=float))
