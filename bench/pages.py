"""Fill the figures of the reports from `docs/results/`, or tell where they are not what was measured.

    python -m bench.pages --write | --check

A page has its prose by hand, and regions. `<!-- results NAME: TABLE -->` holds a table of
`docs/results/NAME.json`, where that file comes up first with how it was taken; `<!-- bars -->` holds every
bar of the files that the page shows, the missed ones first. Each region ends with `<!-- end -->`. The
pictures of growth are made from the tables of `bench.growth`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bench._plots import growth_picture
from bench._results import ROOT, Results, markdown, read, shown

PAGES = ("performance.md", "accuracy.md", "reliability.md", "tutorial.md")
START = re.compile(r"<!-- (?:results (?P<name>[\w-]+): (?P<table>[\w-]+)|bars) -->\n")
REGION = re.compile(START.pattern + r"(?P<body>.*?)<!-- end -->", re.DOTALL)


class Report:
    """The pages of a documentation folder, with what they should hold and what is wrong about them."""

    def __init__(self, docs: Path) -> None:
        self.problems: list[str] = []
        self._kept = {path.stem: read(path) for path in sorted((docs / "results").glob("*.json"))}
        self._shown: set[tuple[str, str]] = set()
        self.wanted: dict[Path, bytes] = {}
        for path in (docs / name for name in PAGES if (docs / name).exists()):
            self.wanted[path] = self._page(path).encode()
        for table, content in self._kept["growth"].tables.items() if "growth" in self._kept else ():
            path = docs / "pictures" / f"growth-{table}.svg"
            self.wanted[path] = growth_picture(table.replace("-", " "), content)
            if f"(pictures/{path.name})".encode() not in self.wanted.get(docs / PAGES[0], b""):
                self.problems.append(f"{PAGES[0]}: does not show pictures/{path.name}")
        self.problems += [
            f"results/{name}.json: no page shows its table {table!r}"
            for name, kept in self._kept.items()
            for table in kept.tables or {"": None}
            if (name, table) not in self._shown
        ]

    def _page(self, path: Path) -> str:
        text = path.read_text(encoding="utf-8")
        names = list(dict.fromkeys(found["name"] for found in START.finditer(text) if found["name"]))
        first = set(names)

        def filled(found: re.Match[str]) -> str:
            name, table = found["name"], found["table"]
            if START.search(found["body"]):
                self.problems.append(f"{path.name}: the region {found[0].splitlines()[0]} has no end")
                return found[0]
            if name is None:
                return _region(found, bars([self._kept[one] for one in names if one in self._kept]))
            kept = self._kept.get(name)
            if kept is None or table not in kept.tables:
                self.problems.append(f"{path.name}: there are no results {name}: {table}")
                return found[0]
            self._shown.add((name, table))
            origin = f"{kept.origin()}\n\n" if name in first else ""
            first.discard(name)
            return _region(found, origin + markdown(**kept.tables[table]))

        if len(START.findall(text)) != len(REGION.findall(text)):
            self.problems.append(f"{path.name}: a region has no end")
        return REGION.sub(filled, text)

    def stale(self) -> Iterator[str]:
        """Yield the files that hold something else."""
        for path, content in self.wanted.items():
            if not path.exists() or path.read_bytes() != content:
                yield f"{path.name}: other figures than docs/results/ has; run: python -m bench.pages --write"


def _region(found: re.Match[str], body: str) -> str:
    return f"{found[0].splitlines()[0]}\n{body}\n<!-- end -->"


def bars(results: list[Results]) -> str:
    """Return every bar in a table, first those that are missed by most, then what was not measured."""
    found = [(one.name, bar) for one in results for bar in one.bars]
    found.sort(key=lambda one: (one[1].holds is not False, one[1].holds is not None, -one[1].excess))
    missed = sum(bar.holds is False for _, bar in found)
    unknown = sum(bar.holds is None for _, bar in found)
    rows = [
        (bar.what, bar.against, bar.figure, f"{sign(bar.better)} {shown(bar.bar)}", bar.verdict, f"`{name}`")
        for name, bar in found
    ]
    held = (
        f"{len(found)} bars: {missed} missed, {unknown} not measured, {len(found) - missed - unknown} held."
    )
    return f"{held}\n\n{markdown(('what', 'beside', 'figure', 'bar', 'verdict', 'results'), rows)}"


def sign(better: str) -> str:
    return "≤" if better == "lower" else "≥"


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--write", action="store_true", help="bring the pages up to date")
    chosen.add_argument("--check", action="store_true", help="exit with 1 when a page is not")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="another folder of documents")
    options = parser.parse_args(given)
    report = Report(options.docs)
    if options.write:
        for path, content in report.wanted.items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
    problems = [*report.problems, *report.stale()]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
