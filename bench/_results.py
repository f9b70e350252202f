"""What was measured, kept as data: tables and bars, with the command, the date and the versions behind them.

A program makes one `Results`, adds its tables and bars, and ends with `sys.exit(results.finish(options))`.
It prints them; with `--save` they also go to `docs/results/`, from where `bench.pages` fills the pages.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "results"
PACKAGES = ("holdfast", "mcp", "pydantic", "click")
FIGURE = re.compile(r"[-+]?[\d.,]+( ?[a-zA-Zµ%/]{1,3})?")
ROW = re.compile(r"\[\n[^\[\]{}]*?\n\s+\]")
"""A list without lists in it, which is written on one line."""
LINE_END = re.compile(r"\n\s*")

Cell = str | float | None


@dataclass(frozen=True)
class Bar:
    """What a figure may be at most, or has to be at least; a figure of `None` was not measured."""

    what: str
    figure: float | None
    bar: float
    against: str | None = None
    better: str = "lower"
    note: str = ""
    """Why there is no figure."""

    def __post_init__(self) -> None:
        if self.better not in ("lower", "higher") or (self.figure is None and not self.note):
            raise ValueError(
                f"{self.what}: better is lower or higher, and what was not measured has a reason"
            )

    @property
    def holds(self) -> bool | None:
        """Return whether the figure is on the right side of the bar."""
        if self.figure is None:
            return None
        return self.figure <= self.bar if self.better == "lower" else self.figure >= self.bar

    @property
    def excess(self) -> float:
        """Return which part of the bar the figure is beyond it."""
        if self.figure is None or self.holds:
            return 0.0
        return abs(self.figure - self.bar) / self.bar if self.bar else float("inf")

    @property
    def verdict(self) -> str:
        """Return in words how figure and bar stand."""
        if self.figure is None:
            return f"not measured: {self.note}"
        if self.holds:
            return "holds"
        missed = f"{self.excess:.1%}" if self.excess < 1 else f"{self.excess + 1:.1f} times the bar"
        return f"**misses**: {missed}" if self.excess >= 1 else f"**misses** by {missed}"


@dataclass
class Results:
    """The tables and bars of one run of one program."""

    program: str
    corpus: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    """Those of programs set beside ours; our own are added."""
    command: str = field(default_factory=lambda: given_command(sys.argv))
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    load: float | None = field(default_factory=lambda: round(os.getloadavg()[0], 1))
    machine: str = field(
        default_factory=lambda: f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    )
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    bars: list[Bar] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.command = self.command or f"python -m {self.program}"
        if "holdfast" not in self.versions:
            git = subprocess.run(["git", "version"], capture_output=True, text=True).stdout.split()[2]
            packages = {name: version(name) for name in PACKAGES if find_spec(name)}
            own = {"Python": platform.python_version(), "SQLite": sqlite3.sqlite_version, "git": git}
            self.versions = {**packages, **own, **self.versions}

    @property
    def name(self) -> str:
        """Return the name of the file that keeps these results."""
        return self.program.rpartition(".")[2]

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Add a table."""
        wrong = [row for row in rows if len(row) != len(columns)]
        if wrong or name in self.tables:
            raise ValueError(f"the table {name} is there twice, or has a row of another width: {wrong[:1]}")
        self.tables[name] = {"columns": list(columns), "rows": [list(map(rounded, row)) for row in rows]}

    def bar(self, what: str, figure: float | None, bar: float, **more: Any) -> Bar:
        """Add a bar: `against` whom, `better` lower or higher, a `note` where nothing was measured."""
        self.bars.append(Bar(what, rounded(figure), bar, **more))
        return self.bars[-1]

    def finish(self, options: argparse.Namespace) -> int:
        """Print all of it, save it where that was asked for, and return the exit status."""
        print(self.origin())
        for table in self.tables.values():
            print(f"\n{markdown(table['columns'], table['rows'])}", flush=True)
        missed = [bar for bar in self.bars if bar.holds is False]
        print(
            f"\n{len(self.bars)} bars, {len(missed)} missed", *(f"- {bar.what}" for bar in missed), sep="\n"
        )
        if options.save:
            print(f"saved as {self.save().relative_to(ROOT)}; now: python -m bench.pages --write")
        return 1 if options.check and missed else 0

    def save(self, folder: Path = FOLDER) -> Path:
        """Write the file that the pages are made from."""
        data = asdict(self) | {"bars": [asdict(bar) | {"holds": bar.holds} for bar in self.bars]}
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        text = ROW.sub(lambda row: LINE_END.sub(" ", row[0]), json.dumps(data, indent=1, ensure_ascii=False))
        path.write_text(text + "\n", encoding="utf-8")
        return path

    def origin(self) -> str:
        """Return how these figures came about."""
        versions = "".join(f", {name} {number}" for name, number in self.versions.items())
        corpus = f" {self.corpus}." if self.corpus else ""
        load = "" if self.load is None else f" at a load of {self.load:g}"
        return f"`{self.command}` on {self.date}{load} ({self.machine}{versions}).{corpus}"


def read(path: Path) -> Results:
    """Return what a program saved."""
    data = json.loads(path.read_text(encoding="utf-8"))
    bars = [Bar(**{name: value for name, value in bar.items() if name != "holds"}) for bar in data["bars"]]
    return Results(**data | {"bars": bars})


def given_command(argv: Sequence[str]) -> str:
    """Return the command that runs a program like this again, without the folders of this machine."""
    module = getattr(sys.modules["__main__"].__spec__, "name", None)
    words = [Path(word).name if word.startswith("/") else word for word in argv[1:] if word != "--save"]
    return " ".join(["python -m", module.removesuffix(".__main__"), *words]) if module else ""


def rounded(value: Any) -> Any:
    """Return a number with the digits that mean something."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def shown(cell: Cell) -> str:
    """Return a cell as it is printed."""
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 or cell == int(cell) else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else (cell or "").replace("|", "\\|")


def markdown(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table in Markdown; columns of figures are set to the right."""
    texts = [[shown(cell) for cell in row] for row in rows]
    figures = [
        any(column) and all(not text or FIGURE.fullmatch(text) for text in column)
        for column in zip(*texts, strict=True)
    ]
    lines = [columns, ["---:" if one else "---" for one in figures or [False] * len(columns)], *texts]
    return "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines)


def parser(description: str | None, rounds: int | None = None) -> argparse.ArgumentParser:
    """Return the options that all programs share; `--rounds` where it has a default."""
    found = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if rounds is not None:
        found.add_argument("--rounds", type=int, default=rounds, help="how often each side is measured")
    found.add_argument("--check", action="store_true", help="exit with 1 when a bar is missed")
    found.add_argument("--save", action="store_true", help="keep the figures in docs/results/")
    return found


def arguments(description: str | None, rounds: int | None = None, **numbers: int) -> argparse.Namespace:
    """Read the options, and such as give a number."""
    options = parser(description, rounds)
    for name, number in numbers.items():
        options.add_argument(f"--{name}", type=int, default=number)
    return options.parse_args()


def absent(what: str) -> int:
    """Say that nothing was measured for want of something, which leaves the earlier figures as they are."""
    print(f"not measured: {what} is not here; the figures of an earlier run stay")
    return 0
