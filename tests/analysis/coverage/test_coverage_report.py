from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

import pytest

from holdfast.analysis.coverage.coverage_report import NO_REPORT, REPORT_PATHS, CoverageReport, coverage_of
from holdfast.analysis.coverage.python_statements import python_statements
from holdfast.analysis.coverage.report_formats import parse_report
from holdfast.storage.files.foreign_document import UnreadableDocument
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository

COBERTURA = """<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "https://example.org/coverage-04.dtd">
<coverage line-rate="0.9"><sources><source>/elsewhere/src</source></sources>
<packages><package name="."><classes>
<class filename="{file}"><methods/><lines><line number="1" hits="1"/>
<line number="2" hits="0"/></lines></class>
<class filename="{file}"><lines><line number="2" hits="3"/><line number="4" hits="0"/></lines></class>
</classes></package></packages></coverage>"""
JACOCO = """<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="x"><package name="org/example"><sourcefile name="A.java">
<line nr="3" mi="0" ci="4" mb="0" cb="0"/><line nr="4" mi="2" ci="0" mb="0" cb="0"/>
<counter type="LINE" missed="1" covered="1"/></sourcefile></package></report>"""
LCOV = "TN:\nSF:web/a.ts\nDA:1,1\nDA:2,0\nDA:3,12,abc\nLF:3\nLH:2\nend_of_record\n"
GO = (
    "mode: set\nexample.org/tool/pkg/a.go:3.14,5.2 2 1\n"
    "example.org/tool/pkg/a.go:6.2,9.3 3 0\nexample.org/tool/pkg/a.go:6.2,9.3 3 0\n"
)
SOURCE = '''"""Words."""
import os


def f(x):
    """More words."""
    if (
        x
    ):
        return 1
    else:  # pragma: no cover
        return 2


@os.fspath
def g():
    pass
'''


def found(repository: Path, *sources: str, project: str = "") -> CoverageReport:
    for source in sources:
        place = repository / source
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.write_text("x\n", encoding="utf-8")
        os.utime(place, (1000, 1000))
    return coverage_of(Tree(Repository.at(repository)), str(repository), project, sources)


def put(repository: Path, name: str, text: str, at: int = 2000) -> None:
    place = repository / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    os.utime(place, (at, at))


def coverage_file(path: Path, lines: dict[str, list[int]], arcs: dict[str, list[tuple[int, int]]]) -> None:
    """Write a data file as coverage.py 7 does."""
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT, UNIQUE (path));"
            "CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);"
            "CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);"
        )
        for number, name in enumerate(sorted({*lines, *arcs}), 1):
            database.execute("INSERT INTO file VALUES (?, ?)", (number, name))
            bits = bytearray(10)
            for line in lines.get(name, []):
                bits[line // 8] |= 1 << line % 8
            database.execute("INSERT INTO line_bits VALUES (?, 1, ?)", (number, bytes(bits)))
            database.executemany(
                "INSERT INTO arc VALUES (?, 1, ?, ?)", [(number, *arc) for arc in arcs.get(name, [])]
            )
    database.close()


def test_without_a_report_there_is_no_number_and_a_reason(repository: Path) -> None:
    coverage = found(repository, "a.py")
    assert (coverage.percent, coverage.files, coverage.reason) == (None, {}, NO_REPORT)


@pytest.mark.parametrize(
    ("report", "text", "source", "covered", "total"),
    [
        ("coverage.xml", COBERTURA.format(file="src/a.py"), "src/a.py", 2, 3),
        ("coverage/cobertura-coverage.xml", COBERTURA.format(file="a.py"), "src/pkg/a.py", 2, 3),
        ("target/site/jacoco/jacoco.xml", JACOCO, "src/main/java/org/example/A.java", 1, 2),
        ("coverage/lcov.info", LCOV, "web/a.ts", 2, 3),
        ("cover.out", GO, "pkg/a.go", 2, 5),
    ],
)
def test_each_kind_of_report_is_read_and_its_paths_found(
    repository: Path, report: str, text: str, source: str, covered: int, total: int
) -> None:
    put(repository, report, text)
    coverage = found(repository, source, "other/unrelated.py")
    assert {path: (item.parts.covered, item.parts.total) for path, item in coverage.files.items()} == {
        source: (covered, total)
    }
    assert coverage.percent == round(100 * covered / total, 1)
    assert coverage.reports[0].files == 1
    assert report in REPORT_PATHS


def test_a_path_that_fits_two_files_is_not_guessed(repository: Path) -> None:
    put(repository, "coverage.xml", COBERTURA.format(file="a.py"))
    coverage = found(repository, "one/a.py", "two/a.py")
    assert coverage.files == {}
    assert coverage.reports[0].unmatched == 1
    assert coverage.reason == "coverage.xml: it covers no file here"


def test_the_newest_report_counts_and_one_older_than_the_file_is_stale(repository: Path) -> None:
    put(repository, "coverage.xml", COBERTURA.format(file="web/a.ts"), at=500)
    put(repository, "lcov.info", LCOV.replace("DA:2,0", "DA:2,1"), at=900)
    coverage = found(repository, "web/a.ts")
    assert coverage.files["web/a.ts"].report_path == "lcov.info"
    assert coverage.percent == 100.0
    assert coverage.stale_files == 1  # the file is of 1000


def test_the_data_file_of_coverage_py_is_measured_against_the_statements_of_the_source(
    repository: Path,
) -> None:
    put(repository, "src/a.py", SOURCE)
    put(repository, "src/b.py", "x = 1\ny = 2\n")
    coverage_file(
        repository / ".coverage",
        {f"{repository}/src/a.py": [2, 5, 8, 15, 16]},
        {f"{repository}/src/b.py": [(-1, 1)], "/elsewhere/lib.py": [(1, 2)]},
    )
    coverage = found(repository, "src/a.py", "src/b.py")
    # import, def, if, return, decorator, def, pass: the words and what the pragma leaves out are none.
    assert (coverage.files["src/a.py"].parts.covered, coverage.files["src/a.py"].parts.total) == (5, 7)
    assert (coverage.files["src/b.py"].parts.covered, coverage.files["src/b.py"].parts.total) == (1, 2)
    assert coverage.reports[0].unmatched == 1


def test_statements_are_counted_as_coverage_py_counts_them() -> None:
    assert [item.start for item in python_statements(SOURCE.encode())] == [2, 5, 7, 10, 15, 16, 17]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("coverage.xml", b"<html/>"),
        ("coverage.xml", b"<coverage><class filename='a'><line number='x' hits='1'/></class></coverage>"),
        ("coverage.xml", b"<coverage>"),
        ("coverage.xml", b'<?xml version="1.0" encoding="utf-7"?><coverage/>'),
        ("coverage.xml", b'<?xml version="1.0" encoding="idna"?><coverage/>'),
        ("coverage.xml", b'<?xml version="1.0" encoding="none such"?><coverage/>'),
        ("lcov.info", b"nothing"),
        ("cover.out", b"not a profile"),
        ("cover.out", b"mode: set\nnot a block\n"),
        (".coverage", b"SQLite format 3\0" + bytes(100)),
        (".coverage", b""),
    ],
)
def test_what_is_no_report_is_said_to_be_none(repository: Path, name: str, content: bytes) -> None:
    with pytest.raises(UnreadableDocument):
        parse_report(name, content)
    (repository / name).write_bytes(content)
    coverage = found(repository, "a.py")
    assert coverage.percent is None
    assert coverage.reason is not None
    assert coverage.reason.startswith(f"{name}: ")


def test_entities_are_refused_where_another_parser_expands_them() -> None:
    bomb = (
        '<!DOCTYPE coverage [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        "<coverage><x>&b;&b;&b;&b;</x></coverage>"
    )
    assert len(ElementTree.fromstring(bomb)[0].text or "") == 400  # the control: it does grow
    with pytest.raises(UnreadableDocument, match="entities"):
        parse_report("coverage.xml", bomb.encode())


def test_a_document_that_is_nested_without_end_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="deep"):
        parse_report("coverage.xml", b"<coverage>" + b"<a>" * 5000 + b"</a>" * 5000 + b"</coverage>")


def test_a_view_in_place_of_a_table_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / ".coverage"
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE line_bits (file_id, numbits); CREATE TABLE arc (file_id, fromno, tono);"
            "CREATE VIEW file AS SELECT 1 AS id, 'a.py' AS path;"
        )
    database.close()
    with pytest.raises(UnreadableDocument, match="no table 'file'"):
        parse_report(".coverage", path.read_bytes())


def test_places_that_are_something_else_are_passed_over(repository: Path) -> None:
    (repository / "coverage").write_text("a file where a folder might be", encoding="utf-8")
    (repository / "lcov.info").mkdir()
    os.mkfifo(repository / "cover.out")
    put(repository, "coverage.xml", COBERTURA.format(file="a.py"))
    assert found(repository, "a.py").percent is not None
    assert [report.path for report in found(repository, "a.py").reports] == ["coverage.xml"]


def test_a_report_behind_a_link_is_not_read(repository: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.xml"
    elsewhere.write_text(COBERTURA.format(file="a.py"), encoding="utf-8")
    (repository / "coverage.xml").symlink_to(elsewhere)
    assert found(repository, "a.py").reason == NO_REPORT
    (repository / "coverage.xml").unlink()
    (repository / "coverage.xml").write_bytes(elsewhere.read_bytes())  # the control: without the link it is
    assert found(repository, "a.py").percent is not None
