"""Pictures of what ``_views`` and ``_time_profile`` find, drawn by matplotlib, if there is one."""

from __future__ import annotations

from typing import Any

#: Regions with colours of their own; the time of all others is one more.
_SHOWN = 8


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots()[1]


def time_profile(rows: list[dict[str, Any]], axes: Any) -> Any:
    """Stacked bars: for each bin the average number of locations that are in a region."""
    axes = _axes(axes)
    names = [name for name in rows[0] if name not in ("begin", "end")]
    begins = [row["begin"] for row in rows]
    widths = [row["end"] - row["begin"] for row in rows]

    def heights(of: list[str]) -> list[float]:
        sums = [sum(row[name] for name in of) for row in rows]
        return [seconds / width if width else 0.0 for seconds, width in zip(sums, widths)]

    parts = [(name, [name]) for name in names[:_SHOWN]]
    if names[_SHOWN:]:
        parts.append(("other regions", names[_SHOWN:]))
    below = [0.0] * len(rows)
    for name, of in parts:
        height = heights(of)
        axes.bar(begins, height, widths, below, align="edge", label=name)
        below = [one + other for one, other in zip(below, height)]
    axes.set_xlabel("time (s)")
    axes.set_ylabel("threads")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def comm_matrix(matrix: list[list[int]], of: str, axes: Any) -> Any:
    """A square for each sender and receiver."""
    axes = _axes(axes)
    image = axes.imshow(matrix)
    axes.figure.colorbar(image, ax=axes, label="bytes" if of == "bytes" else "messages")
    axes.set_xlabel("receiver (rank)")
    axes.set_ylabel("sender (rank)")
    return axes
