"""How well labels of dead code were met, by us or by vulture, which reads Python."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench._peers import Peers

LINE = re.compile(
    r"^(.+?):(\d+): (?:unused \w+ '(.+)'|unreachable|unsatisfiable).* \((\d+)% confidence", re.MULTILINE
)


@dataclass(frozen=True)
class Label:
    """What is true of a symbol that was put into a tree."""

    file: str
    name: str
    dead: bool
    what: str
    line: int = 0
    """Where unreachable statements stand, which have no name."""


@dataclass
class Score:
    """How many labels were met, by the level at which they were reported."""

    found: int = 0
    missed: int = 0
    alarms: int = 0
    silent: int = 0
    found_high: int = 0
    alarms_high: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, label: Label, level: str | None, why: str = "not reported") -> None:
        """Count one label and the level at which it was reported."""
        reported, high = level in ("medium", "high"), level == "high"
        self.found += label.dead and reported
        self.missed += label.dead and not reported
        self.alarms += reported and not label.dead
        self.silent += not reported and not label.dead
        self.found_high += label.dead and high
        self.alarms_high += high and not label.dead
        if label.dead != reported:
            kind = "missed" if label.dead else "alarm"
            self.wrong.append(f"{kind} {label.what} {label.file} {label.name}: {why}")

    def row(self, name: str) -> tuple[str | int, ...]:
        """Return the figures as a row of a table."""
        recall = self.found / max(1, self.found + self.missed)
        high = f"{self.high:.3f} ({self.found_high + self.alarms_high})" if self.found_high else ""
        figures = (f"{figure:.3f}" for figure in (self.precision, recall, self.f1))
        return (name, self.found + self.missed, self.alarms + self.silent, *figures, high)

    @property
    def precision(self) -> float:
        """The share of dead ones among the reported."""
        return self.found / max(1, self.found + self.alarms)

    @property
    def high(self) -> float:
        """The share of dead ones among those reported at high confidence."""
        return self.found_high / max(1, self.found_high + self.alarms_high)

    def merge(self, other: Score) -> None:
        """Add what another one counted."""
        for part in ("found", "missed", "alarms", "silent", "found_high", "alarms_high"):
            setattr(self, part, getattr(self, part) + getattr(other, part))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.found / max(1, 2 * self.found + self.missed + self.alarms)


def vulture(peers: Peers, texts: Mapping[str, str]) -> set[tuple[str, str | int]]:
    """Return what it reports by its defaults: files with names, or with lines of statements."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in texts.items():
            if name.endswith(".py"):
                place = Path(scratch, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8", errors="replace")
        told = peers.run("vulture", ".", within=Path(scratch))
    return {(path.removeprefix("./"), name or int(line)) for path, line, name, _ in LINE.findall(told)}
