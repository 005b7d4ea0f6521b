"""A run that all tests look at, and modules that may be missing."""

import functools
import importlib
import os
import subprocess
import tempfile
import unittest

import pompeii
from pompeii import _command

#: Thread 0 waits at the explicit barrier for thread 1, for a tenth of a second at least: thread 1
#: computes after thread 0 has come there, however busy the machine is.
PROGRAM = """
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int has_come;
static void work(double seconds) {
    double end = omp_get_wtime() + seconds;
    while (omp_get_wtime() < end) {}
}
int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) has_come = 1;
        while (!has_come) usleep(100);
        if (omp_get_thread_num() == 1) work(0.1);
#pragma omp barrier
    }
    return 0;
}
"""


@functools.lru_cache(maxsize=None)
def folder() -> tempfile.TemporaryDirectory:
    """A folder for all tests, which is removed at the end."""
    return tempfile.TemporaryDirectory()


@functools.lru_cache(maxsize=None)
def experiment() -> str:
    """The folder of an experiment with a trace."""
    source = os.path.join(folder().name, "late.c")
    program = os.path.join(folder().name, "late")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    compiler = ["gcc", "-fopenmp", "-o", program, source]
    subprocess.run([_command.executable(), "compile", "--", *compiler], check=True)
    output = os.path.join(folder().name, "traced")
    return pompeii.run([program], trace=True, output=output).path


def late_wait(x) -> dict:
    """The row of the table `waits` about the explicit barrier."""
    regions = {it["region"] for it in x.trace.regions if it["role"] == "barrier"}
    calls = {it["call"] for it in x.calls if it["region"] in regions}
    (wait,) = [it for it in x.waits if it["call"] in calls]
    return wait


def module(name: str):
    """A module of other people; without it the test is skipped, or fails where all must be."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("POMPEII_ORACLES") == "1":
            raise
        raise unittest.SkipTest(f"{name} is not installed") from None
