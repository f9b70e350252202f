"""Tokens of a project: of the same files as a scan, cached like records, by any number of processes."""

from __future__ import annotations

from pathlib import Path

from holdfast.analysis.engine.product import TOKENS
from holdfast.analysis.engine.scan import FileScan, Project
from holdfast.analysis.engine.scanner import Scanner
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from tests.analysis.engine.test_scanner import SKIPS, reasons, write


def scan_tokens(root: Path, workers: int) -> FileScan[TokenStream]:
    scanner = Scanner(Repository.at(root), TOKENS, bytes_per_process=1)
    try:
        return scanner.scan(Project(), "force-refresh", workers)
    finally:
        scanner.close()


def test_tokens_are_of_the_files_that_a_survey_has(repository: Path) -> None:
    write(repository, {name: content for name, (_, content) in SKIPS.items()})
    write(repository, {f"m{number}.py": f"import os\nx = {number}\n" for number in range(70)})
    room = Analysis(Repository.at(repository))
    try:
        records, tokens, again = (
            room.scan(Project()),
            room.scan_tokens(Project()),
            room.scan_tokens(Project()),
        )
    finally:
        room.close()

    assert tokens.files.keys() == records.files.keys()
    assert (tokens.counts, reasons(tokens)) == (records.counts, reasons(records))
    assert (tokens.misses, again.hits) == (70, 70)
    assert scan_tokens(repository, 1) == scan_tokens(repository, 4)
