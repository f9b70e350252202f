"""Scans with the compiled core: they equal those of the Python reader, and one file fails alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.analysis.engine import file_reader
from holdfast.analysis.engine.file_reader import FileReader, ReadResult, Unparsed, parse_in_threads
from holdfast.analysis.engine.product import NUMBERS, RECORDS, TOKENS, Product, SourceText
from holdfast.analysis.engine.scan import FileScan, Project
from holdfast.analysis.engine.scanner import Scanner
from holdfast.storage.git.repository import Repository
from holdfast.syntax.core.library import VARIABLE, is_found, is_older_than_sources
from holdfast.syntax.languages import LANGUAGES
from holdfast.syntax.record import Record
from tests.analysis.engine.test_scanner import KEPT, SKIPS, write
from tests.conftest import ROOT
from tests.storage.git_support import commit

needs_core = pytest.mark.skipif(not is_found(), reason="the compiled core is not built")


def scanned(root: Path, product: Product) -> FileScan:
    scanner = Scanner(Repository.at(root), product)
    try:
        return scanner.scan(Project(), "force-refresh", 2)
    finally:
        scanner.close()


def comparable(scan: FileScan) -> tuple[object, ...]:
    """Return all of a scan; of records those fields that were read."""
    files = {
        path: [getattr(file, name) for name in Record._fields if file.is_whole or name != "names"]
        if isinstance(file, Record)
        else vars(file)
        for path, file in scan.files.items()
    }
    return files, scan.sizes, scan.skipped, scan.other_files, scan.counts


def unparsed(path: str, text: bytes, language: str = "python") -> Unparsed:
    return Unparsed(SourceText(path, language, text), len(text), f"{language}:{path}")


@needs_core
@pytest.mark.parametrize("product", [RECORDS, NUMBERS, TOKENS], ids=lambda product: product.name)
def test_both_readers_give_the_same_scan(
    repository: Path, product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {name: content for name, (_, content) in SKIPS.items()} | KEPT)
    write(repository, {"copy.py": KEPT["latin.py"], "broken.go": "package x\nfunc (", "empty.rb": ""})
    for folder in ("samples", "names_samples", "complexity_samples"):
        shutil.copytree(ROOT / "tests" / "syntax" / folder, repository / folder)

    compiled = scanned(repository, product)
    monkeypatch.setenv(VARIABLE, "python")
    in_python = scanned(repository, product)

    assert comparable(compiled) == comparable(in_python)
    assert {file.language for file in compiled.files.values()} == {language.name for language in LANGUAGES}


@needs_core
def test_both_readers_give_the_same_scan_of_a_commit(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = commit(repository, {"a.py": "def f():\n    return 1\n", "b.go": "package b\n", "c.py": "x = 1\n"})
    found = []
    for reader in ("compiled", "python"):
        monkeypatch.setenv(VARIABLE, reader)
        scanner = Scanner(Repository.at(repository), TOKENS)
        found.append(scanner.scan_commit(Project(), made))
        scanner.close()
        shutil.rmtree(repository / ".git" / "holdfast")

    assert found[0] == found[1]
    assert list(found[0].files) == ["a.py", "b.go", "c.py"]
    assert [scan.misses for scan in found] == [3, 3]


@needs_core
def test_a_file_that_fails_is_named_in_the_log_and_the_others_are_read(
    repository: Path, caplog: pytest.LogCaptureFixture
) -> None:
    secret = b"password_in_the_source"
    files = [unparsed("a.py", secret), unparsed("b.kl", secret, "klingon"), unparsed("c.py", secret)]
    files.append(unparsed("long.py", b"#" * 5_000_001))
    reader = FileReader(str(repository), product=RECORDS)

    read = {one.path: one for one in parse_in_threads(reader, files, threads=2)}

    reasons = {path: one.reason for path, one in read.items()}
    assert reasons == {
        "a.py": "", "b.kl": file_reader.FAILED, "c.py": "", "long.py": file_reader.TOOK_TOO_LONG
    }  # fmt: skip
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "'b.kl' could not be analysed"
    ]
    assert secret.decode() not in caplog.text


@needs_core
def test_equal_contents_are_parsed_once_and_fail_each(repository: Path) -> None:
    files = [unparsed(path, b"x = 1\n")._replace(key="x") for path in ("a.py", "b.py", "c.py")]
    files += [unparsed(path, b"y", "klingon")._replace(key="y") for path in ("d.kl", "e.kl")]

    results = parse_in_threads(FileReader(str(repository), product=TOKENS), files, threads=2)
    read = {one.path: one for one in results}

    assert [path for path, one in read.items() if one.parts is not None] == ["a.py"]
    assert {path for path, one in read.items() if one.key == "x"} == {"a.py", "b.py", "c.py"}
    assert {path for path, one in read.items() if one.reason == file_reader.FAILED} == {"d.kl", "e.kl"}


@needs_core
def test_only_a_few_batches_are_read_ahead(repository: Path) -> None:
    read = 0

    def files() -> Iterator[ReadResult | Unparsed]:
        nonlocal read
        for number in range(20_000):
            read += 1
            yield unparsed(f"m{number}.py", b"x\n")

    results = parse_in_threads(FileReader(str(repository), product=TOKENS), files(), threads=1)
    next(results)
    ahead = read
    rest = list(results)

    assert ahead < 5_000
    assert len(rest) == 19_999
    assert {result.path for result in rest} == {f"m{number}.py" for number in range(20_000)} - {"m0.py"}


def test_a_core_that_cannot_be_loaded_is_not_used(repository: Path, tmp_path: Path) -> None:
    """A damaged library is found before the one that may be installed."""
    write(tmp_path, {"library/_core.abi3.so": "damaged"})
    write(repository, {"a.py": "x = 1\n"})
    code = """
import sys, holdfast
holdfast.__path__.insert(0, sys.argv[1])
from holdfast.syntax.core.library import is_found, is_used
from holdfast.analysis.engine.product import RECORDS
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.engine.scanner import Scanner
from holdfast.storage.git.repository import Repository
scan = Scanner(Repository.at(sys.argv[2]), RECORDS).scan(Project(), "normal", 2)
print(is_found(), is_used(), list(scan.files))
"""
    command = [sys.executable, "-c", code, tmp_path / "library", repository]
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.stdout == "True False ['a.py']\n", done.stderr


def test_a_core_that_is_older_than_its_sources_is_not_used(tmp_path: Path) -> None:
    write(tmp_path, {"src/holdfast/_core.abi3.so": "", "core/src/lib.rs": ""})
    module = tmp_path / "src" / "holdfast" / "_core.abi3.so"
    os.utime(module, (1, 1))
    assert is_older_than_sources(module)
    os.utime(tmp_path / "core" / "src" / "lib.rs", (1, 1))
    assert not is_older_than_sources(module)
    write(tmp_path, {"site-packages/holdfast/_core.abi3.so": ""})
    assert not is_older_than_sources(tmp_path / "site-packages" / "holdfast" / "_core.abi3.so")
