"""The command ``pompeii``, which is a file of this package."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
from typing import NoReturn, Optional

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


def page(path: str) -> Optional[str]:
    """The page of ``pompeii html`` in a frame; ``None`` for what has no page, a trace alone."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "page.html")
        words = [executable(), "html", path, "-o", file]
        if subprocess.run(words, capture_output=True, check=False).returncode != 0:
            return None
        with open(file, encoding="utf-8") as made:
            text = html.escape(made.read())
    return f'<iframe srcdoc="{text}" style="width: 100%; height: 640px; border: 0"></iframe>'


def main() -> NoReturn:
    """Becomes the command."""
    try:
        path = executable()
    except PompeiiError as error:
        sys.exit(f"error: {error}")
    os.execv(path, ["pompeii", *sys.argv[1:]])
