"""What lazygit does with the shipped configuration, step by step, and what arrives.

lazygit fills the template, quoting with double quotes and backslashes; quotes the whole command once
more, splits that into arguments, and starts the user's shell with the result.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from holdfast.inbox.store import Inbox
from holdfast.kernel.untrusted import visible
from tests.conftest import ROOT
from tests.inbox.conftest import Reader

CONFIGURATION = (files("holdfast.inbox") / "lazygit.yml").read_text(encoding="utf-8")
COMMANDS = dict(re.findall(r"context: '(\w+)'\n(?:.*\n)*?    command: '(.*)'", CONFIGURATION))

COMMENTS = {
    "plain": "Handle the error",
    "quotes": """He said "don't" and 'do'""",
    "substitution": "$(touch owned) ${HOME} $HOME `touch owned` $((1+1))",
    "shell operators": "a; touch owned & b | c > owned < d ! e * ? ~ # f",
    "backslashes": r"C:\new\table \\ \" \$ \` ending in \\",
    "newlines": "first line\nsecond line\n\tindented",
    "emoji": "Nice 👩‍🚀 work 🎉 für 東京",
    "template": "{{ .SelectedPath }} {{ quote }}",
    "like an option": "--help",
    "percent": "100 % of %s",
}


def quote(text: str) -> str:
    for mark in ("\\", '"', "$", "`"):
        text = text.replace(mark, f"\\{mark}")
    return f'"{text}"'


def filled(template: str, values: dict[str, str]) -> str:
    """Fill in the part of Go's template language that the configuration uses."""

    def chosen(match: re.Match[str]) -> str:
        return match[2] if values[match[1]] else ""

    template = re.sub(r"\{\{ if (\S+) \}\}(.*?)\{\{ end \}\}", chosen, template)
    return re.sub(r"\{\{ (\S+) \| quote \}\}", lambda match: quote(values[match[1]]), template)


def split(text: str) -> list[str]:
    """Split the way lazygit does: quotes group, a backslash takes the next character as it is."""
    arguments: list[str] = []
    current: str | None = None
    quotation = ""
    characters = iter(text)
    for character in characters:
        if character == "\\":
            current = (current or "") + next(characters)
        elif character in ("'", '"') and quotation in ("", character):
            current = current or ""
            quotation = "" if quotation else character
        elif character in " \t" and not quotation:
            arguments += [] if current is None else [current]
            current = None
        else:
            current = (current or "") + character
    return arguments + ([] if current is None else [current])


def press(
    repository: Path,
    context: str,
    comment: str,
    line: str = "",
    path: str = "src/main.py",
    shell: str = "bash",
) -> None:
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    (repository / path).write_text("line\n" * 42, encoding="utf-8")
    values = {
        ".SelectedPath": path,
        ".SelectedCommitFilePath": path,
        ".Form.Comment": comment,
        ".Form.Line": line,
    }
    command = filled(COMMANDS[context], values)
    arguments = split(f"{shell} -c {quote(command)}")
    assert arguments == [shell, "-c", command]
    search_path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        arguments, cwd=repository, env={**os.environ, "PATH": search_path}, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Message sent successfully for {path}\n"


@pytest.mark.requirement("inbox-80")
@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize("form", COMMENTS)
def test_a_comment_arrives_verbatim_through_the_shipped_configuration(
    repository: Path, room: Inbox, reader: Reader, form: str, shell: str
):
    comment = COMMENTS[form]
    press(repository, "files", comment, shell=shell)
    (message,) = room.messages("pending", limit=10)
    assert message.comment == comment
    assert f"\nComment: {comment}\nTime: " in reader.check()
    assert visible(comment) == comment
    assert not (repository / "owned").exists()


@pytest.mark.requirement("inbox-80")
def test_a_path_arrives_verbatim(repository: Path, room: Inbox):
    path = 'it\'s a $(touch owned) `dir`/näme "x".py'
    press(repository, "files", "Hm", path=path)
    (message,) = room.messages("pending", limit=10)
    assert message.file == path


@pytest.mark.requirement("inbox-80")
@pytest.mark.parametrize("context", ["staging", "stagingSecondary"])
@pytest.mark.parametrize(("line", "stored"), [("", None), ("42", "42"), ("10-14", "10-14")])
def test_while_staging_a_line_may_be_named(
    repository: Path, room: Inbox, context: str, line: str, stored: str | None
):
    press(repository, context, "Hm", line)
    (message,) = room.messages("pending", limit=10)
    assert message.line == stored


@pytest.mark.requirement("inbox-80")
def test_every_placeholder_is_quoted_by_lazygit_and_by_nobody_else():
    assert set(COMMANDS) == {"files", "staging", "stagingSecondary", "commitFiles"}
    for command in COMMANDS.values():
        assert '"' not in command
        bare = re.sub(r"\{\{ if \S+ \}\}|\{\{ end \}\}|=\{\{ \S+ \| quote \}\}", "", command)
        assert "{{" not in bare


def test_the_page_about_lazygit_shows_the_shipped_command():
    page = (ROOT / "docs" / "lazygit.md").read_text(encoding="utf-8")
    assert f"command: '{COMMANDS['files']}'" in page
