"""Parses the reports of test runs: Cobertura and JaCoCo (XML), lcov, Go's profiles, coverage.py's data file.

Contract: a parser returns the content of a report under the paths it uses, without guessing. Anything that is
no such report, or exceeds the limits, raises `UnreadableDocument`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from holdfast.storage.files.foreign_document import UnreadableDocument, parse_xml
from holdfast.storage.sql.foreign_database import foreign_database

_COVERAGE_TABLES = {
    "file": ("id", "path"),
    "line_bits": ("file_id", "numbits"),
    "arc": ("file_id", "fromno", "tono"),
}
_GO_BLOCK = re.compile(
    r"(?P<file>.+):(?P<place>\d+\.\d+,\d+\.\d+) (?P<statements>\d{1,9}) (?P<hits>\d+)\s*\Z"
)


@dataclass
class CoverableParts:
    """Lines or blocks of a file: their weights, and whether a test ran them."""

    weights: dict[Hashable, int] = field(default_factory=dict)
    hit: set[Hashable] = field(default_factory=set)

    def add(self, part: Hashable, hit: bool, weight: int = 1) -> None:
        """Add a part; one that occurs several times was run if any occurrence says so."""
        self.weights[part] = weight
        if hit:
            self.hit.add(part)

    def among(self, lines: frozenset[int]) -> CoverableParts:
        """Return the parts that contain one of these lines."""
        ordered = sorted(lines)
        kept = {}
        for part, weight in self.weights.items():
            first, last = _ends(part)
            at = bisect_left(ordered, first)
            if at < len(ordered) and ordered[at] <= last:
                kept[part] = weight
        return CoverableParts(kept, self.hit & kept.keys())

    @property
    def total(self) -> int:
        """The weight of all parts."""
        return sum(self.weights.values())

    @property
    def covered(self) -> int:
        """The weight of the parts that were run."""
        return sum(self.weights[part] for part in self.hit if part in self.weights)


def _ends(part: Hashable) -> tuple[int, int]:
    """Return the first and last line of a part: a line, or a block of Go such as `3.14,5.2`."""
    ends = [int(end.partition(".")[0]) for end in str(part).split(",")]
    return ends[0], ends[-1]


@dataclass
class ReportFile:
    """The content of a report, by the paths that it uses."""

    kind: str
    files: dict[str, CoverableParts] = field(default_factory=dict)
    executed: dict[str, frozenset[int]] = field(default_factory=dict)
    """Lines that were run, if the report does not say which lines there are."""

    def parts(self, path: str) -> CoverableParts:
        """Return the parts of a file, empty at first."""
        return self.files.setdefault(path, CoverableParts())


def _number(text: str | None, what: str) -> int:
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise UnreadableDocument(f"{what} is not a number")
    return int(text)


def xml_report(content: bytes) -> ReportFile:
    """Parse a report in XML: `coverage` is Cobertura's root element, `report` JaCoCo's."""
    elements = parse_xml(content)
    name, _ = next(elements, ("", None))
    if name == "coverage":
        return _cobertura(elements)
    if name == "report":
        return _jacoco(elements)
    raise UnreadableDocument("it is neither a Cobertura nor a JaCoCo report")


def _cobertura(elements: Iterator[tuple[str, dict[str, str] | None]]) -> ReportFile:
    report, parts = ReportFile("cobertura"), None
    for name, attributes in elements:
        if name == "class":
            parts = None if attributes is None else report.parts(attributes.get("filename", ""))
        elif name == "line" and attributes is not None and parts is not None:
            hits = _number(attributes.get("hits"), "the hits of a line")
            parts.add(_number(attributes.get("number"), "the number of a line"), hits > 0)
    return report


def _jacoco(elements: Iterator[tuple[str, dict[str, str] | None]]) -> ReportFile:
    report, parts, package = ReportFile("jacoco"), None, ""
    for name, attributes in elements:
        if name == "package" and attributes is not None:
            package = attributes.get("name", "")
        elif name == "sourcefile":
            place = f"{package}/{(attributes or {}).get('name', '')}".lstrip("/")
            parts = None if attributes is None else report.parts(place)
        elif name == "line" and attributes is not None and parts is not None:
            covered = _number(attributes.get("ci"), "the covered instructions of a line")
            parts.add(_number(attributes.get("nr"), "the number of a line"), covered > 0)
    return report


def lcov_report(content: bytes) -> ReportFile:
    """Parse a tracefile of lcov."""
    report, parts = ReportFile("lcov"), None
    for line in content.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            parts = report.parts(value.strip())
        elif key == "DA" and parts is not None:
            number, _, hits = value.partition(",")
            count = hits.partition(",")[0].strip()
            parts.add(_number(number, "the number of a line"), count.lstrip("-0") != "" and count[0] != "-")
        elif line.strip() == "end_of_record":
            parts = None
    if not report.files:
        raise UnreadableDocument("it names no file")
    return report


def go_report(content: bytes) -> ReportFile:
    """Parse a profile of `go test -coverprofile`, which counts statements in blocks."""
    lines = content.decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].startswith("mode: "):
        raise UnreadableDocument("it does not begin with a mode")
    report = ReportFile("go")
    for line in filter(None, lines[1:]):
        found = _GO_BLOCK.match(line)
        if found is None:
            raise UnreadableDocument("one of its lines is not a block")
        statements = int(found["statements"])
        report.parts(found["file"]).add(found["place"], found["hits"].lstrip("0") != "", statements)
    return report


def coverage_data(content: bytes) -> ReportFile:
    """Parse the data file of coverage.py, which has the lines that ran."""
    lines: dict[str, set[int]] = {}
    with foreign_database(content, _COVERAGE_TABLES) as database:
        for (path,) in database.execute("SELECT path FROM file"):
            lines[str(path)] = set()
        bits = "SELECT path, numbits FROM line_bits JOIN file ON file.id = file_id"
        for path, packed in database.execute(bits):
            if isinstance(packed, bytes):
                lines[str(path)].update(_unpacked(packed))
        arcs = "SELECT path, fromno, tono FROM arc JOIN file ON file.id = file_id"
        for path, *ends in database.execute(arcs):
            lines[str(path)].update(end for end in ends if isinstance(end, int) and end > 0)
    return ReportFile("coverage.py", executed={path: frozenset(seen) for path, seen in lines.items()})


def _unpacked(packed: bytes) -> Iterable[int]:
    return (
        place * 8 + bit for place, byte in enumerate(packed) if byte for bit in range(8) if byte & (1 << bit)
    )


PARSERS: tuple[tuple[tuple[str, ...], Callable[[bytes], ReportFile]], ...] = (
    ((".xml",), xml_report),
    ((".info", ".lcov"), lcov_report),
    ((".out", ".txt"), go_report),
    ((".coverage",), coverage_data),
)


def parsed(name: str, content: bytes) -> ReportFile:
    """Parse a report in the format that its name implies."""
    return next(parse for endings, parse in PARSERS if name.endswith(endings))(content)
