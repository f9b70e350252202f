"""The command line names commands and options, also where a text was written for all faces."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from holdfast.faces.cli.application import application, this_installation
from holdfast.faces.cli.arguments import command_arguments, command_names, name_commands, name_options
from holdfast.faces.cli.catalogue import CATALOGUE
from holdfast.faces.cli.command import OperationCommand
from holdfast.faces.cli.git_mile import main as git_mile
from holdfast.toolsets import full_registry
from tests.conftest import RunHoldfast

COMMANDS = sorted(command_names())


def page_of(tool: str) -> str:
    """Return the help page of a tool's command."""
    _, *names = command_names()[tool].split()
    command: click.Command = application(this_installation())
    context = click.Context(command, info_name="holdfast")
    for name in names:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command = found
    assert isinstance(command, OperationCommand)
    return command.get_help(OperationCommand.context_class(command, info_name="x", terminal_width=200))


@pytest.mark.parametrize("tool", COMMANDS)
def test_no_page_names_a_tool(tool: str) -> None:
    described, _, _ = page_of(tool).partition("\nExample")  # where an argument may be the name of a tool
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", described))
    assert not named & set(COMMANDS)


def test_an_option_that_speaks_of_another_names_it_as_it_is_typed() -> None:
    assert "Like --since, but compared" in page_of("quality_gate")
    assert "instead of --set; give its value" in page_of("taskpilot_update")
    assert "Same as --response-format detailed" in page_of("taskpilot_status")
    assert "--sort by ready" in page_of("taskpilot_list")
    assert "only with --include-closed" in page_of("git_mile_list")


@pytest.mark.parametrize("tool", COMMANDS)
def test_no_page_names_a_field_where_its_option_is_typed(tool: str) -> None:
    operations = [item for item in full_registry().operations if item.listed_name == tool]
    fields = {item.value.name for operation in operations for item in command_arguments(operation)}
    assert not fields & set(re.findall(r"`(\w+)`", page_of(tool)))


def test_no_list_of_commands_names_a_tool() -> None:
    listed = "\n".join(item.summary for toolset in CATALOGUE for item in toolset.commands)
    assert not set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", listed)) & set(COMMANDS)


def test_what_a_command_fills_in_is_not_called_required() -> None:
    assert "[required" not in page_of("git_mile_show").partition("--entity")[2]
    assert "[WORKSPACE-PATH]" in page_of("taskpilot_start")


def test_git_mile_names_its_own_commands(
    repository: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    assert git_mile(["close", "25a93319"]) == 3
    assert "`git mile list` lists them" in capfd.readouterr().err
    assert git_mile(["--help"]) == 0
    assert "List what `git mile list`" in capfd.readouterr().out
    assert git_mile(["overview", "--help"]) == 0
    page = capfd.readouterr().out
    assert "what `git mile list` lists" in page
    assert "[ENTITY]" in page


def test_a_toolset_without_its_last_letter_is_meant_before_a_command_inside_another(
    run_holdfast: RunHoldfast,
) -> None:
    assert 'Did you mean "comments"?' in run_holdfast("comment", "add").stderr
    assert 'Did you mean "comments add"?' in run_holdfast("add").stderr


def test_a_tool_is_named_by_its_command() -> None:
    names = {"taskpilot_list": "holdfast tasks list"}
    assert name_commands("`taskpilot_list` or taskpilot_list.", names) == (
        "`holdfast tasks list` or `holdfast tasks list`."
    )
    assert name_commands("taskpilot_lists and other_words stay.", names) == (
        "taskpilot_lists and other_words stay."
    )
    told = name_commands("Use taskpilot_list with `task_ids`, or `taskpilot_list` TP-1 and `query`.", names)
    assert told == "Use `holdfast tasks list` with --task-ids, or `holdfast tasks list` TP-1 and --query."


def test_a_field_is_named_as_it_is_typed() -> None:
    operation = next(item for item in full_registry().operations if item.name == "add_comment")
    arguments = command_arguments(operation)
    assert name_options("Give `filePath` and `aiMeta`, not `other`.", arguments) == (
        "Give FILE-PATH and --ai-meta, not `other`."
    )
    assert name_options("`aiMeta.model` says it.", arguments) == "--ai-meta (model) says it."
    assert name_options('missing argument "tag"', arguments) == (
        "missing option --tag (TODO|FIXME|NOTE|STAR|QUESTION)"
    )
    assert name_options('argument "aiMeta.token_count": too small', arguments) == (
        "option --ai-meta (token_count): too small"
    )


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("comments", "add"), "missing argument FILE-PATH; missing argument LINE; missing argument TEXT."),
        (("comments", "delete", "a.py", "c_1"), "Use `holdfast comments show` to list valid comment IDs"),
        (
            ("comments", "add", "a.py", "1", "Hm", "--tag", "note"),
            'Error: option --tag: "note" is not allowed.\nHint: Did you mean "NOTE"?\n',
        ),
        (
            ("comments", "add", "a.py", "--line", "1", "Hm"),
            "LINE is typed without an option. Usage: holdfast comments add [OPTIONS] FILE-PATH LINE TEXT;",
        ),
        (
            ("send", "-f", "a.py", "-c", "Hm", "--line", "x"),
            'Error: option --line: "x" is not a line N or a range N-M, counted from 1.',
        ),
        (("send", "-f", "../b.py", "-c", "Hm"), "The file '../b.py' is not inside this repository."),
        (("comments", "show", "a\tb.py"), "Hint: Rename the file."),
        (("comments", "show", "-dash.py"), 'Write "--" before a value that starts with a dash.'),
        (
            ("milestones", "close", "issue", "25a93319"),
            "Error: Too many arguments: 25a93319.\nHint: Usage: holdfast milestones close [OPTIONS] ID;",
        ),
        (("milestones", "assign", "25a93319", "--to", "Bob"), "Hint: Options: --actor, "),
        (("milestones", "close", "25a93319"), "`holdfast milestones list` lists them"),
        (("comments", "move", "c_1", "a.py", "a.py", "2"), "'c_1' and 'a.py' are swapped.\n"),
        (("comments", "move", "c_1", "a.py", "a.py", "2"), "Hint: SOURCE-FILE comes before COMMENT-ID."),
        (("comments", "move", "a.py", "c_1", "2", "a.py"), "Hint: TARGET-FILE comes before TARGET-LINE."),
        (("comments", "delete", "c_1", "a.py"), "Hint: FILE-PATH comes before COMMENT-ID."),
        (("tasks", "show"), '; "holdfast tasks show --help" shows more.'),
        (("tasks", "update", "TP-1", "--status", "done"), 'Hint: Did you mean "--field status"?'),
        (
            ("tasks", "list", "--status", "done", "--status", "dnoe"),
            'Error: option --status: "dnoe" is not allowed.\nHint: Did you mean "done"?\n',
        ),
        (("tasks", "add"), "Hint: Describe the work in TASK-DESCRIPTION."),
        (("tasks", "flow", "clone", "fokus"), 'Hint: Did you mean "focus"?'),
        (("tasks", "prompt", "start_task"), "Hint: Give the prompt's arguments in --context."),
        (("tasks", "remote", "github", "connect"), "Error: --config does not name repository.\n"),
        (("tasks", "list"), "This repository has no tasks yet.\nHint: Start with `holdfast tasks init`."),
    ],
)
def test_a_mistake_is_told_in_the_words_of_the_command_line(
    run_holdfast: RunHoldfast, repository: Path, typed: tuple[str, ...], told: str
) -> None:
    (repository / "a.py").write_text("a = 1\nb = 2\n")
    answer = run_holdfast(*typed)
    assert answer.returncode != 0
    assert told in answer.stderr


def test_outside_git_it_is_said_that_this_is_no_repository(run_holdfast: RunHoldfast, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    answer = run_holdfast("tasks", "list", cwd=tmp_path / "plain")
    assert "This is not a git repository, and it has no tasks." in answer.stderr
    assert "Change into the repository" in answer.stderr


def test_who_writes_is_who_git_would_name(
    run_holdfast: RunHoldfast, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace")
    (repository / "a.py").write_text("a = 1\n")
    run_holdfast("comments", "add", "a.py", "1", "Hm", check=True)
    assert "  Grace  " in run_holdfast("comments", "list", check=True).stdout
    run_holdfast("milestones", "create", "issue", "Hm", check=True)
    assert "Grace <" in run_holdfast("milestones", "log", check=True).stdout


def test_a_comment_is_a_note_unless_said_otherwise(run_holdfast: RunHoldfast, repository: Path) -> None:
    (repository / "a.py").write_text("a = 1\n")
    assert "Tag: NOTE" in run_holdfast("comments", "add", "a.py", "1", "Hm", check=True).stdout
    assert "Tag: TODO" in run_holdfast("comments", "add", "a.py", "1", "Ho", "-t", "TODO", check=True).stdout
    assert "[default: NOTE]" in run_holdfast("comments", "add", "--help").stdout


@pytest.mark.parametrize(
    "typed",
    [
        ("send", "--file", "a.py", "--comment", "Hm"),
        ("inbox", "drain", "--hook"),
        ("comments", "add", "a.py", "1", "Hm"),
        ("tasks", "init"),
        ("milestones", "create", "issue", "Hm"),
        ("token", "add", "ada"),
        ("install", "git"),
    ],
)
def test_what_keeps_a_server_from_writing_keeps_commands_from_it(
    run_holdfast: RunHoldfast, repository: Path, monkeypatch: pytest.MonkeyPatch, typed: tuple[str, ...]
) -> None:
    (repository / "a.py").write_text("a = 1\n")
    run_holdfast("send", "--file", "a.py", "--comment", "First", check=True)
    before = sorted((path, path.stat().st_mtime_ns) for path in repository.rglob("*") if path.is_file())
    monkeypatch.setenv("HOLDFAST_READ_ONLY", "1")
    answer = run_holdfast(*typed)
    assert answer.returncode == 5
    assert "HOLDFAST_READ_ONLY is set" in answer.stderr
    assert before == sorted(
        (path, path.stat().st_mtime_ns) for path in repository.rglob("*") if path.is_file()
    )
    assert "First" in run_holdfast("inbox", "list").stdout
    monkeypatch.delenv("HOLDFAST_READ_ONLY")
    assert run_holdfast(*typed).returncode == 0


def test_one_identity_serves_a_whole_loop(
    run_holdfast: RunHoldfast, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_holdfast("tasks", "init", check=True)
    run_holdfast("tasks", "add", "Sing", check=True)
    run_holdfast("tasks", "focus", "TP-5", "--agent", "ada", check=True)
    run_holdfast("tasks", "done", "TP-5", "--agent", "ada", check=True)
    run_holdfast("tasks", "add", "Dance", check=True)
    monkeypatch.setenv("HOLDFAST_AGENT", "bob")
    run_holdfast("tasks", "focus", "TP-6", check=True)
    run_holdfast("tasks", "done", "TP-6", check=True)
    run_holdfast("tasks", "export", "all.jsonl", check=True)
    actors = re.findall(r'"actor":"(\w+)"', (repository / "all.jsonl").read_text())
    assert sorted(actor for actor in actors if actor != "Ada") == ["ada", "ada", "bob", "bob"]


def test_a_next_step_is_told_in_the_words_of_the_command_line(run_holdfast: RunHoldfast) -> None:
    run_holdfast("tasks", "init", check=True)
    last = run_holdfast("tasks", "focus", "TP-1", "--peek", check=True).stdout.splitlines()[-1]
    assert last == "To begin, call `holdfast tasks focus` TP-1 without --peek."


def test_a_page_says_what_an_argument_in_its_place_may_be() -> None:
    assert "What to show.  [one of: status, burndown, graph; default: status]" in page_of("taskpilot_chart")
