"""A scan: which files it takes, which it leaves out and why."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.analysis.engine import file_reader, product
from holdfast.analysis.engine.product import RECORDS
from holdfast.analysis.engine.scan import FileScan, Project, Scan
from holdfast.analysis.engine.scanner import Scanner
from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import InvalidPath, NotFound, Unavailable
from holdfast.storage.git.repository import Repository
from tests.analysis.engine import faulty_workers
from tests.storage.git_support import commit, git

CODE = "def one():\n    return 1\n"


def scan(root: Path, project: Project = Project(), **more: object) -> Scan:  # noqa: B008 - a constant
    room = Analysis(Repository.at(root))
    try:
        return room.scan(project, **more)  # type: ignore[arg-type]
    finally:
        room.close()


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def reasons(found: FileScan[object]) -> dict[str, str]:
    return {item.path: item.reason for item in found.skipped}


def test_tracked_and_untracked_files_are_taken_and_ignored_ones_are_not(repository: Path) -> None:
    commit(repository, {"a.py": CODE, ".gitignore": "build/\n", "gone.py": CODE})
    write(repository, {"new.py": CODE, "build/made.py": CODE, "README.md": "# Hello\n"})
    (repository / "gone.py").unlink()

    found = scan(repository)

    assert list(found.files) == ["a.py", "new.py"]
    assert found.other_files == (".gitignore", "README.md")
    assert found.sizes == {"a.py": len(CODE), "new.py": len(CODE)}
    assert found.files["a.py"].language == "python"
    assert found.counts.model_dump() == {"files_discovered": 2, "files_analyzed": 2, "files_skipped": {}}


def test_a_folder_that_git_ignores_is_read_when_it_is_named(repository: Path) -> None:
    commit(repository, {".gitignore": "build/\n"})
    write(repository, {"build/made.py": CODE})

    assert list(scan(repository, Project("build")).files) == ["build/made.py"]
    assert list(scan(repository).files) == []


def test_repositories_inside_are_left_out(repository: Path, tmp_path: Path) -> None:
    commit(repository, {"a.py": CODE})
    git(repository, "worktree", "add", "--quiet", "inner/tree")
    write(repository, {"nested/b.py": CODE, "library/c.py": CODE})
    git(repository / "nested", "init", "--quiet")
    git(repository / "library", "init", "--quiet")
    git(repository / "library", "config", "user.name", "Ada")
    git(repository / "library", "config", "user.email", "ada@example.org")
    commit(repository / "library", {"c.py": CODE})
    git(repository, "-c", "advice.addEmbeddedRepo=false", "add", "library")

    assert list(scan(repository).files) == ["a.py"]


def test_without_git_the_folders_are_walked(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CODE, "x/b.go": "package x\n", "node_modules/m.js": "1\n", "note.txt": "\n"})
    write(tmp_path, {"x/inner/.git/HEAD": "ref", "x/inner/c.py": CODE})

    found = scan(tmp_path)

    assert list(found.files) == ["a.py", "x/b.go"]
    assert found.other_files == ("note.txt",)


def test_one_file_is_a_project(repository: Path) -> None:
    commit(repository, {"x/a.py": CODE, "x/b.py": CODE})

    assert list(scan(repository, Project("x/a.py")).files) == ["x/a.py"]


@pytest.mark.parametrize("path", ["", ".", "./"])
def test_the_root_has_several_spellings(repository: Path, path: str) -> None:
    commit(repository, {"a.py": CODE})

    assert list(scan(repository, Project(path)).files) == ["a.py"]


def test_a_missing_folder_is_named_with_what_is_close(repository: Path) -> None:
    commit(repository, {"source/a.py": CODE})

    with pytest.raises(NotFound, match="'sorce'") as failure:
        scan(repository, Project("sorce"))
    assert "source" in str(failure.value.hint)


@pytest.mark.parametrize("path", ["../elsewhere", "/etc", "a\0b", ".git"])
def test_a_path_outside_is_refused(repository: Path, path: str) -> None:
    with pytest.raises(InvalidPath):
        scan(repository, Project(path))


def test_a_link_is_no_project(repository: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", {"a.py": CODE})
    (repository / "link").symlink_to(tmp_path / "outside")

    for path in ("link", "link/a.py"):
        with pytest.raises(NotFound):
            scan(repository, Project(path))


def test_a_bare_repository_has_nothing_to_analyse(tmp_path: Path, home: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "bare")], check=True)

    with pytest.raises(Unavailable, match="bare"):
        scan(tmp_path / "bare")


def test_patterns_depth_and_languages_choose(repository: Path) -> None:
    commit(repository, dict.fromkeys(("a.py", "src/b.py", "src/x/c.py", "tests/d.py"), CODE))
    commit(repository, {"src/e.go": "package e\n"})

    def chosen(**rules: object) -> list[str]:
        return list(scan(repository, Project(**rules)).files)  # type: ignore[arg-type]

    assert chosen(include=("src/**/*.py",)) == ["src/b.py", "src/x/c.py"]
    assert chosen(exclude=("tests", "*.go")) == ["a.py", "src/b.py", "src/x/c.py"]
    assert chosen(path="src", include=("x/*.py",)) == ["src/x/c.py"]
    assert chosen(path="src", exclude=("src/x/**",)) == ["src/b.py", "src/e.go"]
    assert chosen(max_depth=0) == ["a.py"]
    assert chosen(path="src", max_depth=0) == ["src/b.py", "src/e.go"]
    assert chosen(max_depth=1) == ["a.py", "src/b.py", "src/e.go", "tests/d.py"]
    assert chosen(languages=frozenset({"go"})) == ["src/e.go"]


SKIPS: dict[str, tuple[str, str | bytes]] = {
    "generated.go": ("generated", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage x\n"),
    "marked.py": ("generated", "#!/usr/bin/env python\n# @generated by hand\nx = 1\n"),
    "lines.ts": (
        "generated",
        "/*\n * This file was automatically generated.\n * Do not edit it.\n */\nlet x;\n",
    ),
    "thing_pb2.py": ("generated", "x = 1\n"),
    "query.js": ("generated", '"use strict";\n/*\n * Generated by PEG.js 0.9.0.\n */\nlet x;\n'),
    "Query.java": ("generated", "// Generated from a/Query.g4 by ANTLR 4.9\nclass Query {}\n"),
    "jquery.min.js": ("minified", "var x;\n"),
    "packed.js": ("minified", "var a=1;" * 2000),
    "vendor/lib.go": ("vendored", "package lib\n"),
    "web/node_modules/m/index.js": ("vendored", "x\n"),
    "image.py": ("binary", b"\x89PNG\x00\x01"),
    "broken.py": ("undecodable", b"x = '\xff\xfe\xfd'\n"),
    "large.py": ("too large", b"#" * (4 * 1024 * 1024 + 1)),
}
KEPT: dict[str, str | bytes] = {
    "about_marks.py": '"""Code that reads files marked @generator."""\nNAME = "@generated"\n',
    "latin.py": "# -*- coding: latin-1 -*-\nname = 'ü'\n".encode("latin-1"),
    "marked_utf8.py": b"\xef\xbb\xbfx = 1\n",
    "wide.py": "x = 'ü'\n".encode("utf-16"),
    "long.py": "X = '" + "a" * 6000 + "'\n",
    "text.js": "const x = '" + "a" * 6000 + "';\n" + "y = 1;\n" * 200,
    "tool": "#!/usr/bin/env python3\nprint(1)\n",
}


@pytest.mark.requirement("analysis-216")
def test_what_is_no_source_of_a_person_is_skipped_with_the_reason(repository: Path) -> None:
    write(repository, {name: content for name, (_, content) in SKIPS.items()} | KEPT)
    write(repository, {"LICENSE": "Do as you like.\n", "data.bin": b"\0"})

    found = scan(repository)

    assert reasons(found) == {name: reason for name, (reason, _) in SKIPS.items()}
    assert list(found.files) == sorted(KEPT)
    assert found.other_files == ("LICENSE", "data.bin")
    assert found.counts.files_discovered == len(SKIPS) + len(KEPT)
    assert sum(found.counts.files_skipped.values()) == len(SKIPS)


def test_a_vendored_folder_is_analysed_when_it_is_the_project(repository: Path) -> None:
    write(repository, {"vendor/lib.go": "package lib\n"})

    assert list(scan(repository, Project("vendor")).files) == ["vendor/lib.go"]


def test_links_pipes_and_strange_names_are_skipped_and_nothing_outside_is_read(
    repository: Path, tmp_path: Path
) -> None:
    write(tmp_path / "outside", {"secret.py": CODE})
    write(repository, {"a.py": CODE, "folder/b.py": CODE})
    (repository / "cycle").mkdir()
    (repository / "cycle" / "again").symlink_to(repository / "cycle")
    (repository / "link.py").symlink_to(tmp_path / "outside" / "secret.py")
    git(repository, "add", "--all")
    (repository / "folder" / "b.py").unlink()
    (repository / "folder").rmdir()
    (repository / "folder").symlink_to(tmp_path / "outside")
    (repository / "folder" / "b.py").write_text(CODE)
    (repository / "new\nline.py").write_text(CODE)
    Path(os.fsdecode(os.fsencode(repository) + b"/bad\xff.py")).write_text(CODE)

    found = scan(repository)

    assert list(found.files) == ["a.py"]
    assert reasons(found) == {
        "bad\\xff.py": "unusual name",
        "folder/b.py": "not a regular file",
        "link.py": "not a regular file",
        "new\\nline.py": "unusual name",
    }


def test_pipes_devices_and_closed_folders_are_skipped_without_waiting(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CODE, "closed/b.py": CODE})
    os.mkfifo(tmp_path / "pipe.py")
    expected = {"pipe.py": "not a regular file"}
    if os.geteuid() == 0:
        os.mknod(tmp_path / "device.py", 0o020666, os.makedev(1, 5))
        expected["device.py"] = "not a regular file"
    else:
        (tmp_path / "closed").chmod(0)
        expected["closed/"] = "unreadable"

    found = scan(tmp_path, Project(exclude=() if "closed/" in expected else ("closed",)))

    assert reasons(found) == expected
    assert list(found.files) == ["a.py"]


def test_a_sparse_gigabyte_is_skipped_unread(repository: Path) -> None:
    with (repository / "huge.py").open("wb") as file:
        file.truncate(1024**3)

    assert reasons(scan(repository)) == {"huge.py": "too large"}


def test_attributes_of_git_say_what_is_generated_and_vendored(repository: Path) -> None:
    write(
        repository, {"a.py": CODE, "made/b.py": CODE, "made/c.py": CODE, "lib/d.py": CODE, "lib/e.md": "\n"}
    )
    write(repository, {".gitattributes": "made/* linguist-generated\nmade/c.py -linguist-generated\n"})
    write(repository, {"lib/.gitattributes": "* linguist-vendored=true\n"})

    found = scan(repository)

    assert list(found.files) == ["a.py", "made/c.py"]
    assert reasons(found) == {"made/b.py": "generated", "lib/d.py": "vendored"}
    assert reasons(scan(repository, strategy="offline")) == reasons(found)
    (repository / ".gitattributes").unlink()
    assert list(scan(repository).files) == ["a.py", "made/b.py", "made/c.py"]


def test_a_pipe_in_place_of_attributes_is_not_waited_for(repository: Path) -> None:
    commit(repository, {"a.py": CODE, ".gitattributes": "* linguist-vendored\n", "x/.gitattributes": "\n"})
    (repository / "x" / ".gitattributes").unlink()
    os.mkfifo(repository / "x" / ".gitattributes")

    assert list(scan(repository).files) == ["a.py"]


def test_a_pipe_in_place_of_attributes_that_git_does_not_list_is_not_waited_for(repository: Path) -> None:
    commit(repository, {"a.py": CODE, "lib/b.py": CODE, "lib/.gitattributes": "* linguist-vendored\n"})
    os.mkfifo(repository / ".gitattributes")

    assert list(scan(repository).files) == ["a.py", "lib/b.py"]


SECRET = "password_in_the_source"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_breaks_its_parser_is_logged_with_the_error_and_without_its_text(
    repository: Path,
    workers: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    python_reader: None,
) -> None:
    write(repository, {"a.py": f"{SECRET} = 1\n", "b.py": "x = 1\n"})
    monkeypatch.setattr(product, "read_record", faulty_workers.fail)
    monkeypatch.setattr(file_reader, "ProcessPool", faulty_workers.pool_with("fail"))
    scanner = Scanner(Repository.at(repository), RECORDS, bytes_per_process=1)
    try:
        found = scanner.scan(Project(), "normal", workers)
    finally:
        scanner.close()
    assert reasons(found) == {"a.py": file_reader.FAILED, "b.py": file_reader.FAILED}
    logged = sorted(record.getMessage() for record in caplog.records if record.levelname == "WARNING")
    assert len(logged) == 2
    assert logged[0].startswith("'a.py' could not be analysed: RuntimeError at faulty_workers.py:")
    assert SECRET not in caplog.text


def test_a_file_whose_process_ended_is_logged_and_the_others_are_read(
    repository: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {"a.py": CODE, "b.py": f"{CODE}\n"})
    monkeypatch.setattr(file_reader, "ProcessPool", faulty_workers.pool_with("die_of_a"))
    sizes = {"a.py": 1, "b.py": 1}
    read = {one.path: one for one in file_reader.read_in_processes(RECORDS, str(repository), [], sizes, 2)}
    assert {path: one.reason for path, one in read.items()} == {"a.py": file_reader.FAILED, "b.py": ""}
    assert read["b.py"].parts is not None
    assert "'a.py' could not be analysed: the process that read it ended" in caplog.text
