"""`holdfast comments` as a person uses it: from any directory, with paths as the shell completes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.faces.cli.application import run
from tests.comments.making import PYTHON, annotate, comment
from tests.comments.sources import AUTH, PATH

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], home: Path
) -> Ask:
    """Run the command line in a directory of the repository."""
    monkeypatch.delenv("HOLDFAST_ROOT", raising=False)

    def answer(*arguments: str, at: str = ".") -> tuple[int, str, str]:
        monkeypatch.chdir(repository / at)
        status = run(["comments", *arguments])
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return answer


@pytest.fixture
def root(repository: Path) -> Path:
    place = repository / PATH
    place.parent.mkdir(parents=True)
    place.write_text(AUTH, encoding="utf-8")
    return repository


def comments_of(root: Path, path: str = PATH) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((root / f"{path}.comments").read_bytes())["comments"]
    return found


@pytest.mark.parametrize(
    ("at", "typed"),
    [
        (".", PATH),
        (".", f"./{PATH}"),
        ("src", "services/auth.ts"),
        ("src/services", "auth.ts"),
        ("src/services", "./auth.ts"),
        ("src/services", "../services/auth.ts"),
        ("src/services", PATH),
        ("src", "{root}/" + PATH),
    ],
)
def test_a_path_counts_from_where_somebody_is(ask: Ask, root: Path, at: str, typed: str) -> None:
    typed = typed.format(root=root)
    status, words, _ = ask("add", typed, "10", "Mind it", "--tag", "NOTE", at=at)
    assert status == 0
    assert f"File: {PATH}:10" in words
    assert [item["text"] for item in comments_of(root)] == ["Mind it"]
    for command in ("show", "blame", "list", "re-anchor", "orphans"):
        status, words, errors = ask(command, typed, at=at)
        assert (status, errors) == (0, ""), command
        assert ("Mind it" in words) == (command in ("show", "blame", "list")), command
    name = comments_of(root)[0]["id"]
    assert ask("move", typed, name, typed, "3", at=at)[0] == 0
    assert comments_of(root)[0]["line"] == 3
    status, words, _ = ask("export", "--file", typed, "--format", "jsonl", at=at)
    assert json.loads(words)["metadata"]["filePath"] == PATH


def test_of_two_files_the_nearer_one_is_meant(ask: Ask, root: Path) -> None:
    (root / "src" / "src").mkdir()
    for path in ("src/a.py", "src/src/a.py"):
        (root / path).write_text(PYTHON, encoding="utf-8")
    ask("add", "src/a.py", "4", "Near", "--tag", "NOTE", at="src")
    ask("add", "src/a.py", "4", "Far", "--tag", "NOTE")
    assert comments_of(root, "src/src/a.py")[0]["text"] == "Near"
    assert comments_of(root, "src/a.py")[0]["text"] == "Far"


def test_a_deleted_source_is_found_by_its_sidecar(ask: Ask, root: Path) -> None:
    ask("add", PATH, "10", "Mind it", "--tag", "NOTE")
    (root / PATH).unlink()
    status, words, _ = ask("show", "auth.ts", at="src/services")
    assert status == 0
    assert "- Orphaned: 1" in words


@pytest.mark.parametrize("typed", ["../../outside.ts", "/etc/passwd", "src/../../x.ts", "nope.ts"])
def test_no_path_leads_out(ask: Ask, root: Path, typed: str) -> None:
    for command in (("show", typed), ("add", typed, "1", "x", "--tag", "NOTE")):
        status, words, errors = ask(*command, at="src")
        assert status in (2, 3)
        assert words == ""
        assert str(root) not in errors


def test_only_a_file_that_is_there_is_brought_up_to_date(ask: Ask, root: Path) -> None:
    assert "Checked 0 files" in ask("re-anchor", PATH)[1]
    assert list(root.rglob("*.comments")) == []
    ask("add", PATH, "10", "Look", "--tag", "NOTE")
    (root / PATH).write_text("// new\n" + AUTH, encoding="utf-8")
    assert f"Moved: {PATH}:10 to {PATH}:11" in ask("re-anchor", PATH)[1]
    (root / PATH).unlink()
    assert "Orphaned" in ask("re-anchor", PATH)[1]
    for typed, status in (("missing.ts", 3), ("src", 2), ("../x.ts", 2)):
        found, words, errors = ask("re-anchor", typed)
        assert (found, words) == (status, "")
        assert errors.startswith("Error: ")
    assert [path.name for path in root.rglob("*.comments")] == ["auth.ts.comments"]


def test_a_folder_means_everything_below_it(ask: Ask, root: Path) -> None:
    annotate(root, "src/a.py", PYTHON, comment(1, 4, "Close it"))
    annotate(root, "top.py", PYTHON, comment(2, 4, "Above"))
    assert "Close it" in ask("list", "src")[1]
    assert "Above" not in ask("list", "src")[1]
    assert "Above" not in ask("list", ".", at="src")[1]
    assert "Above" in ask("list", ".")[1]
    assert "Close it" in ask("list", "..", at="src/services")[1]


def test_a_name_with_brackets_is_a_name_too(ask: Ask, root: Path) -> None:
    annotate(root, "app/[id].py", PYTHON, comment(1, 4, "Close it"))
    annotate(root, "app/i.py", PYTHON, comment(2, 4, "Another"))
    _, words, _ = ask("list", "app/[id].py")
    assert "Close it" in words
    assert "Close it" in ask("list", "[id].py", at="app")[1]


def test_whoever_types_is_the_author(
    ask: Ask, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("add", PATH, "1", "Mine", "--tag", "NOTE")
    ask("add", PATH, "2", "Hers", "--tag", "NOTE", "--author", "Grace")
    names = [item["author"] for item in comments_of(root)]
    assert names[1] == "Grace"
    assert names[0] not in ("ai", "Grace")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Lin")
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text(PYTHON, encoding="utf-8")
    ask("add", "a.py", "4", "Nameless", "--tag", "NOTE", "--root", str(plain))
    assert comments_of(plain, "a.py")[0]["author"] == "Lin"
    assert "your name in git" in ask("add", "--help")[1]


def test_a_message_shows_names_as_they_are_written(ask: Ask, root: Path) -> None:
    _, _, errors = ask("show", "größe 日本.py")
    assert "'größe 日本.py'" in errors
    assert "\x1b" not in ask("show", "a\x1b[31mred.py")[2]


def test_a_mistyped_name_is_answered_with_the_one_beside_it(ask: Ask, root: Path) -> None:
    for command in (
        ("show", "src/services/auht.ts"),
        ("add", "src/services/auth.tx", "1", "x", "-t", "NOTE"),
    ):
        status, _, errors = ask(*command)
        assert status == 3
        assert "Check that the file exists in the workspace; did you mean 'src/services/auth.ts'?" in errors
    ask("add", PATH, "1", "x", "--tag", "NOTE")
    (root / PATH).unlink()
    assert "did you mean" not in ask("blame", "src/services/auth.js")[2]
    assert "did you mean" not in ask("show", "nowhere/auth.ts")[2]


def test_what_is_read_only_stays_as_it_is(ask: Ask, root: Path) -> None:
    ask("add", PATH, "10", "Mind it", "--tag", "NOTE")
    sidecar = root / f"{PATH}.comments"
    before = sidecar.read_bytes()
    sidecar.chmod(0o444)
    status, _, errors = ask("edit", PATH, comments_of(root)[0]["id"], "Other")
    assert status == 5
    assert "is read-only" in errors
    status, _, errors = ask("add", PATH, "1", "More", "--tag", "NOTE")
    assert status == 5
    (root / PATH).write_text("// new\n" + AUTH, encoding="utf-8")
    assert "is read-only" in ask("re-anchor")[1]
    assert sidecar.read_bytes() == before
    assert "(Line 11)" in ask("show", PATH)[1]


def test_errors_distinguish_links_folders_and_missing_files(ask: Ask, root: Path) -> None:
    (root / "link.ts").symlink_to(PATH)
    for command in (("show", "link.ts"), ("add", "link.ts", "1", "x", "--tag", "NOTE"), ("blame", "link.ts")):
        status, _, errors = ask(*command)
        assert status == 5
        assert "symbolic link" in errors
    status, _, errors = ask("show", "src")
    assert status == 2
    assert "not a regular file" in errors


def test_next_steps_are_commands(ask: Ask, root: Path) -> None:
    ask("add", PATH, "1", "Look")
    (root / PATH).write_text("export const other = 1;\n", encoding="utf-8")
    words = ask("show", PATH)[1]
    assert "`holdfast comments move` moves an orphaned comment to the right place." in words
    assert "move_comment" not in words


@pytest.mark.parametrize("command", ["list", "orphans"])
def test_a_path_that_nobody_knows_is_a_mistake_and_a_pattern_without_hits_is_none(
    ask: Ask, root: Path, command: str
) -> None:
    status, _, told = ask(command, "src/services/auht.ts")
    assert status == 3
    assert "did you mean 'src/services/auth.ts'?" in told
    for found in (PATH, "src", "src/**", "nowhere*", "nowhere/"):
        assert ask(command, found)[0] == 0
    (root / "gone.py.comments").write_text("{}", encoding="utf-8")
    assert ask(command, "gone.py")[0] == 0


def test_a_match_that_is_no_expression_is_said_to_be_taken_as_text(ask: Ask, root: Path) -> None:
    ask("add", PATH, "1", "Sure [not?")
    status, words, _ = ask("list", "--match", "[not")
    assert status == 0
    assert "Sure [not?" in words
    assert "The match is not a valid regular expression" in words
    assert "regular expression" not in ask("list", "--match", "Sure")[1]
