"""`holdfast scaffold`, as a person types it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import RunHoldfast
from tests.reliability.harness import Outcome, kill_at_every_syscall, python
from tests.wire.client import wire_client

SCAFFOLD = ("scaffold", "node", "kelp")


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_without_a_directory_nothing_is_written(run_holdfast: RunHoldfast, repository: Path):
    before = tree(repository)
    answer = run_holdfast(*SCAFFOLD)
    assert answer.returncode == 0
    assert "new        package.json" in answer.stdout
    assert "Nothing was written; use --write DIR to write it." in answer.stdout
    assert tree(repository) == before


def test_a_new_directory_holds_exactly_what_the_tool_returns(run_holdfast: RunHoldfast, repository: Path):
    assert run_holdfast(*SCAFFOLD, "--write", "deep/kelp").returncode == 0
    returned = run_holdfast(
        *("templates", "scaffold", "node", "--templates", "all", "--parameters", '{"project_name": "kelp"}'),
        "--json",
    )
    files = {file["path"]: file["content"] for file in json.loads(returned.stdout)["files"]}
    assert tree(repository / "deep" / "kelp") == files
    assert (repository / "deep" / "kelp" / ".scaffold.json").exists()
    assert [path.name for path in (repository / "deep").iterdir()] == ["kelp"]


def test_writing_again_changes_nothing(run_holdfast: RunHoldfast, repository: Path):
    run_holdfast(*SCAFFOLD, "--write", "kelp", check=True)
    before = tree(repository / "kelp")
    again = json.loads(run_holdfast(*SCAFFOLD, "--write", "kelp", "--json", check=True).stdout)
    assert {file["state"] for file in again["files"]} == {"unchanged"}
    assert tree(repository / "kelp") == before


def test_a_file_that_differs_is_shown_and_nothing_is_written(run_holdfast: RunHoldfast, repository: Path):
    folder = repository / "kelp"
    folder.mkdir()
    (folder / "README.md").write_text("mine\n")
    refused = run_holdfast(*SCAFFOLD, "--write", "kelp")
    assert refused.returncode == 4
    assert "-mine\n+# kelp\n" in refused.stdout
    assert "differs    README.md" in refused.stdout
    assert tree(folder) == {"README.md": "mine\n"}
    wrong = run_holdfast(*SCAFFOLD, "--write", "kelp", "--overwrite", "REDME.md")
    assert (wrong.returncode, 'Did you mean "README.md"?' in wrong.stderr) == (2, True)
    accepted = run_holdfast(*SCAFFOLD, "--write", "kelp", "--overwrite", "README.md")
    assert accepted.returncode == 0
    assert "-mine\n+# kelp\n" in accepted.stdout
    assert tree(folder)["README.md"].startswith("# kelp\n")
    assert "package.json" in tree(folder)


def test_a_second_scaffold_adds_to_the_record_of_the_first(run_holdfast: RunHoldfast, repository: Path):
    run_holdfast(*SCAFFOLD, "--templates", "makefile", "--write", "kelp", check=True)
    second = run_holdfast(
        *SCAFFOLD,
        "--templates",
        "readme",
        "--set",
        "author_name=Ada",
        "--write",
        "kelp",
        "--json",
        check=True,
    )
    states = {file["path"]: file["state"] for file in json.loads(second.stdout)["files"]}
    assert states == {"README.md": "new", ".scaffold.json": "replaced"}
    record = json.loads((repository / "kelp" / ".scaffold.json").read_text())
    assert [file["path"] for file in record["files"]] == ["Makefile", "README.md"]
    assert record["parameters"] == {"author_name": "Ada", "project_name": "kelp"}


def test_a_record_that_is_none_is_not_replaced_unasked(run_holdfast: RunHoldfast, repository: Path):
    (repository / "kelp").mkdir()
    (repository / "kelp" / ".scaffold.json").write_text('{"format": 2}')
    refused = run_holdfast(*SCAFFOLD, "--write", "kelp")
    assert refused.returncode == 4
    assert tree(repository / "kelp") == {".scaffold.json": '{"format": 2}'}


def test_an_error_writes_nothing(run_holdfast: RunHoldfast, repository: Path):
    for arguments in (("--set", "license=GPL-3.0"), ("--set", "has_tests=maybe"), ("--templates", "x")):
        answer = run_holdfast(*SCAFFOLD, *arguments, "--write", "kelp")
        assert answer.returncode == 2
        assert answer.stdout == ""
        assert answer.stderr.startswith("Error: ")
        assert not (repository / "kelp").exists()
    for name in ("../../x", "a\nb", "a/b"):
        assert run_holdfast("scaffold", "node", name, "--write", "kelp").returncode == 2
        assert not (repository / "kelp").exists()
    assert run_holdfast(*SCAFFOLD, "--set", "has_tests").returncode == 2


def test_a_link_inside_the_directory_is_not_followed(
    run_holdfast: RunHoldfast, repository: Path, tmp_path: Path
):
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = repository / "kelp"
    folder.mkdir()
    (folder / "src").symlink_to(outside)
    answer = run_holdfast(*SCAFFOLD, "--write", "kelp")
    assert answer.returncode != 0
    assert "symbolic link" in answer.stderr
    assert list(outside.iterdir()) == []


def test_no_server_offers_to_write(repository: Path):
    options = (["--tools", "write_scaffold"], ["--toolsets", "templates"], [])
    for chosen in options:
        with wire_client([sys.executable, "-m", "holdfast", "serve", *chosen], cwd=repository) as client:
            client.initialize()
            names = [tool["name"] for tool in client.ask(1, "tools/list")["result"]["tools"]]
            assert "write_scaffold" not in names
            arguments = {"toolchain": "node", "project_name": "kelp", "write": "kelp"}
            error = client.call(2, "write_scaffold", **arguments)["error"]
            assert (error["code"], "only for the command line" in error["message"]) == (-32602, True)
            assert client.ask(3, "write_scaffold", arguments)["error"]["code"] == -32601
    assert not (repository / "kelp").exists()


WRITING = """
from holdfast.storage.files.file_set import FileSet
from holdfast.storage.files.repo_path import RepoPath
files = {RepoPath.parse(name): b"content" for name in ("a", "b/c")}
if sys.argv[2] == "weaker":
    os.mkdir(sys.argv[1])
target = FileSet(sys.argv[1], files)
begin()
target.write()
end()
acknowledge()
"""
WHOLE = {"a": "content", "b/c": "content"}


@pytest.mark.strace
@pytest.mark.parametrize("strength", ["ours", "weaker"])
def test_a_new_directory_is_complete_or_absent_wherever_its_writer_is_killed(tmp_path: Path, strength: str):
    target = tmp_path / "kelp"

    def prepare() -> None:
        shutil.rmtree(target, ignore_errors=True)

    def check(outcome: Outcome) -> None:
        found = tree(target) if target.exists() else None
        assert found == WHOLE or (found is None and not outcome.acknowledged)

    report = kill_at_every_syscall(python(WRITING, target, strength), prepare, check)
    # The control writes into a directory that is there already, which can be seen half full.
    assert bool(report.failures) == (strength == "weaker"), report.failures
    assert len(report.points) > 10


@pytest.mark.parametrize("toolchain", ["rust", "deno", "python-uv", "go", "node"])
def test_a_name_is_enough_for_a_project_of_every_toolchain(
    run_holdfast: RunHoldfast, repository: Path, toolchain: str
):
    made = run_holdfast("scaffold", toolchain, "kelp", "--write", "kelp")
    assert (made.returncode, made.stdout.splitlines()[-1]) == (0, "Written.")
    assert (repository / "kelp" / "README.md").read_text().startswith("# kelp\n")


def test_what_a_template_misses_is_told_in_the_words_of_the_command_line(run_holdfast: RunHoldfast):
    refused = run_holdfast("scaffold", "rust", "../kelp")
    assert "template://makefile/rust/cli: project_name: Must be 1 to 64" in refused.stderr
    assert "`holdfast templates list` shows what each template takes." in refused.stderr
    assert "list_templates" not in refused.stderr


def test_a_template_that_there_is_not_is_an_error(run_holdfast: RunHoldfast):
    refused = run_holdfast(*SCAFFOLD, "--templates", "makefile", "--templates", "makefle")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "Error: makefle: There is no template template://makefle/node/cli."
        ' Did you mean "template://makefile/node/cli"?\n'
        "Hint: Nothing was written; correct this and repeat it.\n"
    )
    failed = json.loads(run_holdfast(*SCAFFOLD, "--templates", "makefle", "--json").stdout)["error"]
    assert [error["template"] for error in failed["data"]["errors"]] == ["makefle"]
