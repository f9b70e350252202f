"""Parses the reports of test runs: Cobertura and JaCoCo (XML), lcov, Go's profiles, coverage.py's data file.

Contract: a parser returns the content of a report by the paths that the report uses. A content that is not
such a report, or exceeds the limits, raises `UnreadableDocument`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field

from holdfast.storage.files.foreign_document import UnreadableDocument, parse_xml
from holdfast.storage.sql.foreign_database import foreign_database

_COVERAGE_TABLES = {
    "file": ("id", "path"),
    "line_bits": ("file_id", "numbits"),
    "arc": ("file_id", "fromno", "tono"),
}
"""The tables and columns of coverage.py's data file that are read."""
_MAX_NUMBER_DIGITS = 18
"""Digits of a number in XML or lcov: those that a 64-bit integer can always hold."""
_GO_BLOCK = re.compile(
    r"(?P<file>.+):(?P<place>\d+\.\d+,\d+\.\d+) (?P<statements>\d{1,9}) (?P<hits>\d+)\s*\Z"
)


@dataclass
class CoverableParts:
    """The parts of a file that tests could run: lines, or blocks of several statements."""

    weights: dict[Hashable, int] = field(default_factory=dict)
    """The number of statements in each part; 1 for a line."""
    hit: set[Hashable] = field(default_factory=set)
    """The parts that a test ran."""

    def add(self, part: Hashable, is_hit: bool, weight: int = 1) -> None:
        """Add a part. A report may list a part several times: it was run if it was run once."""
        self.weights[part] = weight
        if is_hit:
            self.hit.add(part)

    def restrict_to(self, lines: frozenset[int]) -> CoverableParts:
        """Return the parts that contain one of these lines."""
        ordered = sorted(lines)
        weights = {}
        for part, weight in self.weights.items():
            first, last = _line_range(part)
            next_index = bisect_left(ordered, first)
            if next_index < len(ordered) and ordered[next_index] <= last:
                weights[part] = weight
        return CoverableParts(weights, self.hit & weights.keys())

    @property
    def total(self) -> int:
        """The statements in all parts."""
        return sum(self.weights.values())

    @property
    def covered(self) -> int:
        """The statements in the parts that were run."""
        return sum(self.weights[part] for part in self.hit if part in self.weights)


def _line_range(part: Hashable) -> tuple[int, int]:
    """Return the first and last line of a part: a line number, or a block of Go such as `3.14,5.2`."""
    lines = [int(position.partition(".")[0]) for position in str(part).split(",")]
    return lines[0], lines[-1]


@dataclass
class ReportContent:
    """The content of a report, by the paths that it uses."""

    kind: str
    """The format: `cobertura`, `lcov`, …"""
    files: dict[str, CoverableParts] = field(default_factory=dict)
    executed: dict[str, frozenset[int]] = field(default_factory=dict)
    """The executed lines by file, from a report that does not list the other lines."""

    def parts(self, path: str) -> CoverableParts:
        """Return the parts of a file, to which a parser adds; empty at first."""
        return self.files.setdefault(path, CoverableParts())


def _parse_number(text: str | None, meaning: str) -> int:
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > _MAX_NUMBER_DIGITS:
        raise UnreadableDocument(f"{meaning} is not a number")
    return int(text)


def xml_report(content: bytes) -> ReportContent:
    """Parse a report in XML: `coverage` is Cobertura's root element, `report` JaCoCo's."""
    elements = parse_xml(content)
    name, _ = next(elements, ("", None))
    if name == "coverage":
        return _cobertura(elements)
    if name == "report":
        return _jacoco(elements)
    raise UnreadableDocument("it is neither a Cobertura nor a JaCoCo report")


def _cobertura(elements: Iterator[tuple[str, dict[str, str] | None]]) -> ReportContent:
    report, parts = ReportContent("cobertura"), None
    for name, attributes in elements:
        if name == "class":
            parts = None if attributes is None else report.parts(attributes.get("filename", ""))
        elif name == "line" and attributes is not None and parts is not None:
            hits = _parse_number(attributes.get("hits"), "the hits of a line")
            parts.add(_parse_number(attributes.get("number"), "the number of a line"), is_hit=hits > 0)
    return report


def _jacoco(elements: Iterator[tuple[str, dict[str, str] | None]]) -> ReportContent:
    report, parts, package = ReportContent("jacoco"), None, ""
    for name, attributes in elements:
        if name == "package" and attributes is not None:
            package = attributes.get("name", "")
        elif name == "sourcefile":
            path = f"{package}/{(attributes or {}).get('name', '')}".lstrip("/")
            parts = None if attributes is None else report.parts(path)
        elif name == "line" and attributes is not None and parts is not None:
            covered = _parse_number(attributes.get("ci"), "the covered instructions of a line")
            parts.add(_parse_number(attributes.get("nr"), "the number of a line"), is_hit=covered > 0)
    return report


def lcov_report(content: bytes) -> ReportContent:
    """Parse a tracefile of lcov."""
    report, parts = ReportContent("lcov"), None
    for line in content.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            parts = report.parts(value.strip())
        elif key == "DA" and parts is not None:
            number, _, hits = value.partition(",")
            count = hits.partition(",")[0].strip()
            is_hit = count.lstrip("-0") != "" and count[0] != "-"  # some tools write a negative count
            parts.add(_parse_number(number, "the number of a line"), is_hit)
        elif line.strip() == "end_of_record":
            parts = None
    if not report.files:
        raise UnreadableDocument("it names no file")
    return report


def go_report(content: bytes) -> ReportContent:
    """Parse a profile of `go test -coverprofile`, which counts statements in blocks."""
    lines = content.decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].startswith("mode: "):
        raise UnreadableDocument("it does not start with a mode")
    report = ReportContent("go")
    for line in filter(None, lines[1:]):
        block = _GO_BLOCK.match(line)
        if block is None:
            raise UnreadableDocument("one of its lines is not a block")
        is_hit = block["hits"].lstrip("0") != ""
        report.parts(block["file"]).add(block["place"], is_hit, int(block["statements"]))
    return report


def coverage_data(content: bytes) -> ReportContent:
    """Parse the data file of coverage.py, which has only the lines that were run."""
    lines: dict[str, set[int]] = {}
    with foreign_database(content, _COVERAGE_TABLES) as database:
        for (path,) in database.execute("SELECT path FROM file"):
            lines[str(path)] = set()
        select_bits = "SELECT path, numbits FROM line_bits JOIN file ON file.id = file_id"
        for path, bits in database.execute(select_bits):
            if isinstance(bits, bytes):
                lines[str(path)].update(_unpack_lines(bits))
        # An arc is a jump between two lines; negative numbers stand for entering or leaving a function.
        select_arcs = "SELECT path, fromno, tono FROM arc JOIN file ON file.id = file_id"
        for path, *ends in database.execute(select_arcs):
            lines[str(path)].update(end for end in ends if isinstance(end, int) and end > 0)
    return ReportContent(
        "coverage.py", executed={path: frozenset(numbers) for path, numbers in lines.items()}
    )


def _unpack_lines(bits: bytes) -> Iterator[int]:
    """Yield the numbers of the bits that are set, in which coverage.py stores the numbers of lines."""
    for index, byte in enumerate(bits):
        for bit in range(8):
            if byte & (1 << bit):
                yield index * 8 + bit


_PARSERS: tuple[tuple[tuple[str, ...], Callable[[bytes], ReportContent]], ...] = (
    ((".xml",), xml_report),
    ((".info", ".lcov"), lcov_report),
    ((".out", ".txt"), go_report),
    ((".coverage",), coverage_data),
)


def parse_report(name: str, content: bytes) -> ReportContent:
    """Parse a report file in the format that its name implies, which is one of `REPORT_PATHS`."""
    return next(parse for endings, parse in _PARSERS if name.endswith(endings))(content)
