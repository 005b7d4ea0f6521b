"""Pictures of what ``_views`` and ``_time_profile`` find, drawn by matplotlib, if there is one."""

from __future__ import annotations

from typing import Any, Optional

#: Regions with colors of their own; the time of all others is one more.
_SHOWN = 8
#: What all others are called.
_OTHERS = "other regions"


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
        parts.append((_OTHERS, names[_SHOWN:]))
    below = [0.0] * len(rows)
    for name, of in parts:
        height = heights(of)
        axes.bar(begins, height, widths, below, align="edge", label=name)
        below = [one + other for one, other in zip(below, height)]
    axes.set_xlabel("time (s)")
    axes.set_ylabel("threads")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def timeline(
    boxes: list[dict[str, Any]], names: list[str], clock: tuple[int, int], axes: Any
) -> Any:
    """A row for each location, with its boxes one below the other by depth. The regions with most
    time have colors of their own. ``clock`` is the begin of the run in ticks and ticks per second.
    """
    axes = _axes(axes)
    start, rate = clock
    levels = max((box["depth"] for box in boxes), default=0) + 1
    height = 0.9 / levels
    times: dict[str, int] = {}
    for box in boxes:
        times[box["region"]] = times.get(box["region"], 0) + box["end"] - box["begin"]
    regions = sorted(times, key=lambda name: (-times[name], name))[:_SHOWN]
    colors = _colors(axes.figure, regions)
    for shown in [*regions, None]:
        here = [it for it in boxes if (it["region"] if it["region"] in regions else None) == shown]
        color = colors[shown] if shown is not None else "lightgray"
        label: Optional[str] = shown if shown is not None else _OTHERS
        rows: dict[float, list[tuple[float, float]]] = {}
        for box in here:
            begin, end = ((box[name] - start) / rate for name in ("begin", "end"))
            top = box["location"] + 0.05 + box["depth"] * height
            rows.setdefault(top, []).append((begin, end - begin))
        for top, spans in rows.items():
            axes.broken_barh(spans, (top, height), color=color, label=label)
            # One entry of the legend is enough.
            label = None
    axes.set_yticks([at + 0.5 for at in range(len(names))], names)
    axes.set_ylim(len(names), 0)
    axes.set_xlabel("time (s)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def _colors(figure: Any, regions: list[str]) -> dict[str, Any]:
    """A color for each region: the one that it has elsewhere in a figure, else one of its own."""
    shown = {
        part.get_label(): part.get_facecolor()[0] for it in figure.axes for part in it.collections
    }
    known = {name: color for name, color in shown.items() if name in regions}
    new = (f"C{at}" for at in range(len(shown), len(shown) + len(regions)))
    return {name: known[name] if name in known else next(new) for name in regions}


def comm_matrix(matrix: list[list[int]], of: str, axes: Any) -> Any:
    """A square for each sender and receiver."""
    axes = _axes(axes)
    image = axes.imshow(matrix)
    axes.figure.colorbar(image, ax=axes, label="bytes" if of == "bytes" else "messages")
    axes.set_xlabel("receiver (rank)")
    axes.set_ylabel("sender (rank)")
    return axes
