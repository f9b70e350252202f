"""Curves of growth as pictures: costs over sizes, both logarithmic, in SVG for light and dark pages.

Contract: the same table gives the same bytes, so that a check can tell whether a picture is up to date.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any

INK = "#7d8590"
"""As far from white as from black."""
COLOURS = ("#3b82f6", "#e8590c", "#2f9e44", "#c2255c", "#9c36b5", "#0c8599", "#b08800")
MARKS = "osD^vPX"
SETTINGS = {
    "svg.hashsalt": "holdfast",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def growth_picture(title: str, table: Mapping[str, Any]) -> bytes:
    """Return the curves of one table of `bench.growth`."""
    import matplotlib as mpl

    with mpl.rc_context(SETTINGS):
        from matplotlib.figure import Figure

        places = [at for at, column in enumerate(table["columns"]) if re.fullmatch(r"[\d,]+", column)]
        sizes = {at: int(table["columns"][at].replace(",", "")) for at in places}
        figure = Figure(figsize=(7, 3.2), layout="constrained")
        axes = figure.subplots()
        for row, colour, mark in zip(table["rows"], COLOURS, MARKS, strict=False):
            points = [(sizes[at], row[at]) for at in places if row[at] is not None]
            axes.plot(*zip(*points, strict=True), mark + "-", color=colour, label=row[0], markersize=4)
        lowest = min(row[at] for row in table["rows"] for at in places if row[at] is not None)
        ends = [sizes[places[0]], sizes[places[-1]]]
        axes.plot(ends, [lowest, lowest * ends[1] / ends[0]], ":", color=INK, label="linear, for the eye")
        axes.set(xscale="log", yscale="log", xlabel=title, ylabel="milliseconds of processors")
        axes.grid(which="major", color=INK, alpha=0.25, linewidth=0.6)
        axes.minorticks_off()
        axes.set_xticks(list(sizes.values()), [f"{size:,}" for size in sizes.values()])
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        figure.legend(loc="outside right upper", frameon=False)
        file = io.BytesIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return file.getvalue()
