"""``python -m pompeii``: the command, and properties of your own with ``analyze --properties``.

    python -m pompeii analyze EXP --properties mine.py

The properties are stored with the analysis of the trace, so reports and the viewer show them.
Everything else is what the command does, also ``analyze EXP --properties omp_barrier``.
"""

from __future__ import annotations

import sys
from typing import Optional

from . import _command
from ._experiment import open
from ._native import PompeiiError
from .properties import Analysis, analyze, installed, load


def _own(words: list[str]) -> Optional[tuple[str, str]]:
    """The experiment and the file of ``analyze EXP --properties FILE.py``."""
    if len(words) != 4 or words[0] != "analyze" or "--properties" not in words[1:3]:
        return None
    at = words.index("--properties")
    file = words[at + 1]
    experiment = words[3] if at == 1 else words[1]
    return (experiment, file) if file.endswith(".py") else None


def _text(analysis: Analysis, units: dict[str, str]) -> str:
    totals = analysis.totals()
    width = max([len(name) for name in totals], default=0)
    lines = []
    for name, total in totals.items():
        shown = f"{total:.6f} s" if units[name] == "sec" else f"{total:.10g} {units[name]}"
        lines.append(f" {name:{width}}  {shown:>20}\n")
    return "".join(lines)


def main(words: list[str]) -> int:
    """Does it; returns the exit code."""
    own = _own(words)
    if own is None:
        _command.main()
    experiment, file = own
    try:
        properties = [*load(file), *installed()]
        analysis = analyze(open(experiment), properties)
        analysis.store()
    except (PompeiiError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(_text(analysis, {it.name: it.unit for it in properties}), end="")
    for what in [*analysis.errors, *analysis.problems]:
        print(f"error: {what}", file=sys.stderr)
    return 1 if analysis.errors or analysis.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
