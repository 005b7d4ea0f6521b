"""The command ``pompeii``, which is a file of this package, and its use from Python."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Union

from ._experiment import Experiment
from ._experiment import open as open_experiment
from ._native import PompeiiError

_OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "pompeii")


def executable() -> str:
    """The path of the command: that of this package, else the first one in ``PATH``.

    The launcher of this package may be the first one in ``PATH``. It would start itself for ever,
    so a script of Python does not count.
    """
    if _can_start(_OWN):
        return _OWN
    for folder in os.get_exec_path():
        found = shutil.which("pompeii", path=folder)
        if found is not None and not _is_script(found):
            return found
    raise PompeiiError(
        f"there is no command pompeii: {_OWN} cannot be executed, and PATH has none; "
        "install the wheel again"
    )


def _can_start(path: str) -> bool:
    """Whether a file can be executed. Some installers do not keep that bit of files."""
    if not os.path.isfile(path):
        return False
    if not os.access(path, os.X_OK):
        try:
            os.chmod(path, 0o755)
        except OSError:
            return False
    return True


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def run(
    command: Sequence[Union[str, os.PathLike[str]]],
    *,
    trace: bool = False,
    output: Union[str, os.PathLike[str], None] = None,
    options: Sequence[str] = (),
    check: bool = True,
) -> Experiment:
    """Measures a command, as ``pompeii run`` does, and opens the experiment.

    ``trace`` records a trace. ``output`` is the folder of the experiment, by default a new one in
    the current folder. ``options`` are further options of ``pompeii run``. If ``check`` is true and
    the command fails, this is a ``subprocess.CalledProcessError``.
    """
    if output is None:
        now = time.strftime("%Y%m%d_%H%M")
        output = os.path.abspath(f"pompeii-{now}_{secrets.token_hex(4)}")
    words = [executable(), "run", "-o", os.fspath(output)]
    words += ["--trace"] if trace else []
    words += [*options, "--", *(os.fspath(word) for word in command)]
    subprocess.run(words, check=check)
    return open_experiment(output)


def main() -> None:
    """Becomes the command."""
    try:
        path = executable()
    except PompeiiError as error:
        sys.exit(f"error: {error}")
    os.execv(path, ["pompeii", *sys.argv[1:]])
