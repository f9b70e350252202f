"""The script a shell loads, and what it is told when it asks."""

from __future__ import annotations

import os
import subprocess
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
