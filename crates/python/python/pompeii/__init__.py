"""What OpenMP and MPI programs spend their time on, as tables.

    import pompeii

    x = pompeii.open("pompeii-20261120_1132_ab12cd34")   # also traces.otf2, or a .cubex file
    x.totals()["omp_ibarrier_wait"]                       # seconds of all threads
    x.severities.to_pandas()                              # metric, call path, location, value
    x.waits.to_polars()                                   # who waited for whom, from the trace

Tables follow the Arrow PyCapsule interface, so pandas, polars, pyarrow and duckdb take them as they
are. A table is read when it is asked for. If you iterate over its batches, the memory that this
takes does not depend on the length of the trace.
"""

from ._callbacks import CALLBACKS
from ._event import Event
from ._experiment import Experiment, Trace, open, run
from ._native import PompeiiError
from ._state import Held, State
from ._table import Rows, Table
from .properties import Analysis, Property

__all__ = [
    "CALLBACKS",
    "Analysis",
    "Event",
    "Experiment",
    "Held",
    "PompeiiError",
    "Property",
    "Rows",
    "State",
    "Table",
    "Trace",
    "open",
    "run",
]
