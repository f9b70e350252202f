"""How far each family of requirements is: `python -m tests.spec.progress [--open]`."""

from __future__ import annotations

import sys
from collections import Counter

from tests.spec.manifest import Requirement, claims, requirements


def state(requirement: Requirement, claimed: set[str]) -> str:
    if requirement.later is not None:
        return "later"
    if requirement.diverges is not None:
        return "diverges"
    return "done" if requirement.id in claimed else "open"


def table() -> str:
    claimed = {claim.id for claim in claims()}
    counts: dict[str, Counter[str]] = {}
    for requirement in requirements():
        counts.setdefault(requirement.family, Counter())[state(requirement, claimed)] += 1
    counts["all"] = sum(counts.values(), Counter())
    columns = ("done", "later", "diverges", "open")
    lines = [f"{'family':<12}" + "".join(f"{column:>10}" for column in columns)]
    for family, counter in counts.items():
        lines.append(f"{family:<12}" + "".join(f"{counter[column]:>10}" for column in columns))
    return "\n".join(lines)


def open_requirements() -> str:
    claimed = {claim.id for claim in claims()}
    waiting = [entry for entry in requirements() if state(entry, claimed) == "open"]
    return "\n".join(f"{entry.id:<15}{entry.text}" for entry in waiting)


if __name__ == "__main__":
    print(open_requirements() if "--open" in sys.argv else table())
