"""Figures of two sides taken in turn, and the table that holds their ratios against the bars."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from statistics import median

UNITS = {"ms": 1e3, "us": 1e6, "MB": 1.0}


@dataclass
class Comparison:
    """Seconds of a baseline and of ours, round by round, and the most that ours may take of it."""

    label: str
    bar: float | None = None
    unit: str = "us"
    baseline: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Return the ratio of the medians."""
        return median(self.ours) / median(self.baseline)

    @property
    def passes(self) -> bool:
        """Return whether the ratio is within the bar, if there is one."""
        return self.bar is None or self.ratio <= self.bar

    def row(self) -> str:
        """Return the line of a Markdown table."""
        middles = " | ".join(f"{median(side) * UNITS[self.unit]:.0f} {self.unit}" for side in self.sides)
        ratios = sorted(ours / baseline for baseline, ours in zip(*self.sides, strict=True))
        quarter = len(ratios) // 4
        verdict = "" if self.bar is None else f"{self.bar:g} {'PASS' if self.passes else 'FAIL'}"
        spread = f"{ratios[quarter]:.2f} to {ratios[-1 - quarter]:.2f}"
        return f"| {self.label} | {middles} | {self.ratio:.2f} | {spread} | {verdict} |"

    @property
    def sides(self) -> tuple[list[float], list[float]]:
        """Return both series."""
        return self.baseline, self.ours


def arguments(description: str | None, rounds: int) -> argparse.Namespace:
    """Read the options that all benchmarks share."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds, help="how often each side is measured")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a bar is missed")
    return parser.parse_args()


def report(corpus: str, sides: tuple[str, str], comparisons: Sequence[Comparison]) -> bool:
    """Print the table with what it was measured on, and return whether every bar was held."""
    print(f"{versions()}; {machine()}.")
    print(f"{corpus}. Medians of {len(comparisons[0].ours)} rounds, the sides taken in turn.\n")
    print(f"| | {sides[0]} | {sides[1]} | ratio | middle half of rounds | bar |")
    print("| --- | ---: | ---: | ---: | --- | --- |")
    print("\n".join(comparison.row() for comparison in comparisons), flush=True)
    return all(comparison.passes for comparison in comparisons)


def versions() -> str:
    """Return the versions of everything that takes part."""
    git = subprocess.run(["git", "version"], capture_output=True, text=True).stdout.split()[2]
    packages = ", ".join(f"{name} {version(name)}" for name in ("holdfast", "mcp", "pydantic", "click"))
    return f"Python {platform.python_version()}, {packages}, SQLite {sqlite3.sqlite_version}, git {git}"


def machine() -> str:
    """Return what can be told of the machine without naming it."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
