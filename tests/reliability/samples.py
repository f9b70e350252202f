"""How much each harness does: one table, chosen from by `HOLDFAST_SAMPLES`.

Unset, the short column is taken, which `./scripts/test` runs: enough to notice that a protection is gone.
`300` is what a change has to survive (`./scripts/slow`): no failure in 300 trials bounds the rate at one in a
hundred. `3000` is the long run (`./scripts/slow --long`), which multiplies what is cheap.
"""

from __future__ import annotations

import os

TABLE: dict[str, tuple[int, int, int]] = {
    "kills": (20, 300, 3000),
    "kills with PostgreSQL": (6, 300, 300),
    "upgrades killed": (15, 300, 3000),
    "system calls": (20, 10_000, 10_000),
    "messages of an upgrade": (4, 1000, 1000),
    "power cuts": (4, 300, 300),
    "claims": (200, 2000, 2000),
    "saves": (10, 300, 3000),
    "noisy writes": (10, 300, 2000),
    "histories": (200, 1000, 10_000),
    "mixed examples": (4, 40, 400),
    "mixed steps": (12, 50, 50),
    "machine examples": (5, 60, 600),
    "machine steps": (15, 30, 50),
    "mutated examples": (40, 10_000, 30_000),
    "mutated lines": (4000, 100_000, 1_000_000),
    "patterns": (200, 5000, 5000),
    "any texts": (40, 1000, 10_000),
    "requests of each route": (8, 40, 40),
    "hostile files": (1000, 100_000, 100_000),
}
"""By what is counted: short, for a change, in the long run."""

COLUMNS = ("", "300", "3000")
SCALE = os.environ.get("HOLDFAST_SAMPLES", "")
if SCALE not in COLUMNS:
    raise ValueError(f"HOLDFAST_SAMPLES is {SCALE!r}; unset it, or set 300 or 3000")


def examples(full: int) -> int:
    """Return how many examples of a property to try: a tenth, though 20 at least, in a short run."""
    return full if SCALE else max(min(full, 20), full // 10)


def samples(what: str) -> int:
    """Return how many of something a harness makes in this run."""
    return TABLE[what][COLUMNS.index(SCALE)]
