"""The script a shell loads, and what it is told when it asks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faces.cli.conftest import Ask
from tests.faces.cli.programs import SAMPLE, Program


def completions(program: Program, *words: str) -> list[str]:
    """Ask as click's script for bash does."""
    asking = program.with_environment(
        _HOLDFAST_COMPLETE="bash_complete",
        COMP_WORDS="\n".join(("holdfast", *words)),
        COMP_CWORD=str(len(words)),
    )
    answer = asking.run()
    assert (answer.returncode, answer.stderr) == (0, "")
    return answer.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["des"], ["plain,describe"]),
        (["s"], ["plain,sample", "plain,serve"]),
        (["sample", "da"], ["plain,damage", "plain,dawdle"]),
        (["sample", "describe", "lamp", "--col"], ["plain,--colour"]),
        (["describe", "lamp", "--solid", "--no-k"], ["plain,--no-known"]),
        (["describe", "lamp", "--colour", ""], ["plain,red", "plain,green", "plain,blue"]),
        (["describe", "lamp", "--colour", "g"], ["plain,green"]),
        (["describe", "lamp", "--size", "l"], ["plain,large"]),
        (["describe", "lamp", "--source-path", "sr"], ["file,sr"]),
        (["describe", "lamp", "--root", "s"], ["dir,s"]),
        (["completion", "z"], ["plain,zsh"]),
        (["install", "cl"], ["plain,claude-code", "plain,claude-desktop"]),
        (["install", "cursor", "--scope", "p"], ["plain,project"]),
        (["serve", "--profile", "laz"], ["plain,lazygit"]),
    ],
)
def test_a_shell_is_told_what_could_follow(program: Program, words: list[str], expected: list[str]) -> None:
    assert completions(program, *words) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(ask: Ask, shell: str) -> None:
    status, output, errors = ask("completion", shell)
    assert (status, errors) == (0, "")
    assert f"_HOLDFAST_COMPLETE={shell}_complete" in output


def test_the_script_really_completes_in_bash(program: Program, tmp_path: Path) -> None:
    commands = tmp_path / "commands"
    commands.mkdir()
    launcher = commands / "holdfast"
    launcher.write_text(f'#!/bin/sh\ncd "{Path.cwd()}" && exec {" ".join(SAMPLE)} "$@"\n')
    launcher.chmod(0o755)
    script = """
        eval "$(holdfast completion bash)"
        COMP_WORDS=(holdfast sample describe lamp --colour b) COMP_CWORD=5
        "$(complete -p holdfast | sed 's/.*-F \\([^ ]*\\).*/\\1/')" holdfast b --colour
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=program.variables() | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (shell.stdout, shell.stderr) == ("blue\n", "")


def test_an_unknown_shell_is_answered_with_the_closest_one(ask: Ask) -> None:
    assert ask("completion", "fsh") == (
        2,
        "",
        'Error: There is no completion for the shell "fsh".\nHint: Did you mean "fish"?\n',
    )


def test_no_shell_is_answered_with_those_there_are(ask: Ask) -> None:
    assert ask("completion")[2] == "Error: Name the shell to complete for.\nHint: One of: bash, fish, zsh.\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["cl"], ["plain,claim", "plain,close"]),
        (["list", "iss"], ["plain,issue"]),
        (["list", "--lim"], ["plain,--limit"]),
        (["mcp-server", "--tool-n"], ["plain,--tool-names"]),
    ],
)
def test_git_mile_completes_itself(run_git_mile, words: list[str], expected: list[str]) -> None:
    answer = run_git_mile(
        _GIT_MILE_COMPLETE="bash_complete",
        COMP_WORDS="\n".join(("git-mile", *words)),
        COMP_CWORD=str(len(words)),
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.splitlines() == expected


@pytest.fixture
def run_git_mile(repository: Path):
    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "holdfast.faces.cli.git_mile", *arguments]
        environment = {**os.environ, **variables}
        return subprocess.run(command, env=environment, cwd=repository, capture_output=True, text=True)

    return run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_git_mile_has_a_script_for_each_shell(run_git_mile, shell: str) -> None:
    script = run_git_mile("completion", shell).stdout
    assert f"_GIT_MILE_COMPLETE={shell}_complete" in script
    assert {"bash": "_git_mile()", "zsh": "_git-mile()", "fish": "--command git "}[shell] in script


@pytest.mark.parametrize("line", ["git mile cl", "git -C . mile cl", "git-mile cl"])
def test_the_script_completes_through_git_as_well(repository: Path, line: str) -> None:
    """git's own completion calls `_git_mile` with the words of the whole line."""
    script = f"""
        eval "$(git-mile completion bash)"
        COMP_WORDS=({line}) COMP_CWORD=$(({len(line.split())} - 1))
        if [[ {line.split()[0]} == git ]]; then _git_mile; else
            "$(complete -p git-mile | sed 's/.*-F \\([^ ]*\\).*/\\1/')" git-mile cl git-mile
        fi
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**os.environ, "PATH": programs},
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (shell.stdout, shell.stderr) == ("claim\nclose\n", "")
