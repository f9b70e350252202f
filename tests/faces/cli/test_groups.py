"""Pages that group, and typos that are forgiven."""

from __future__ import annotations

import pytest

from holdfast import __version__
from holdfast.syntax.core.library import is_found
from tests.faces.cli.conftest import Ask

PAGE = """\
Usage: holdfast [OPTIONS] COMMAND [ARGUMENTS]...

  Holdfast keeps what people and agents know about a repository attached to
  it.

Everyday commands:
  describe  Say back everything that was given

Toolsets:
  sample  One of everything. Used by tests

The program itself:
  demo        Create a small sample project, serve it, and open its page in
              the browser
  open        Serve the repository on this machine and open its page in the
              browser
  serve       Serve the repository to an agent over the Model Context Protocol
  token       Manage who may use this repository's server over HTTP, and for
              what
  install     Configure another program to use Holdfast
  hook        Tell an agent what it should know, when its client runs a hook
  completion  Print the script that completes commands, options and values in
              a shell

Options:
  --version   Show the version and exit.
  -h, --help  Show this page and exit.
"""


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_without_a_command_the_grouped_page_is_shown(ask: Ask, arguments: list[str]) -> None:
    assert ask(*arguments) == (0, PAGE, "")


def test_a_toolset_without_a_command_shows_its_own_page(ask: Ask) -> None:
    status, output, errors = ask("sample")
    assert (status, errors) == (0, "")
    assert "hand-over  Hand something over, and note in a file whether it arrived" in output
    assert ask("sample", "--help")[1] == output


def test_the_version_is_the_packages_version(ask: Ask) -> None:
    reader = "compiled core" if is_found() else "Python reader"
    assert ask("--version") == (0, f"holdfast {__version__} ({reader})\n", "")


def test_a_hidden_toolset_is_not_listed_and_still_works(ask: Ask) -> None:
    assert "attic" not in ask()[1]
    assert ask("attic", "rummage", "--json") == (8, '{"count":0}\n', "")


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        (["desribe"], 'Unknown command "holdfast desribe".', 'Did you mean "describe"?'),
        (["sampel", "describe"], 'Unknown command "holdfast sampel".', 'Did you mean "sample"?'),
        (["sample", "descrbe"], 'Unknown command "holdfast sample descrbe".', 'Did you mean "describe"?'),
        (["hand-over"], 'Unknown command "holdfast hand-over".', 'Did you mean "sample hand-over"?'),
        (["version"], 'Unknown command "holdfast version".', 'Did you mean "holdfast --version"?'),
        (
            ["sample", "help"],
            'Unknown command "holdfast sample help".',
            'Did you mean "holdfast sample --help"?',
        ),
        (
            ["zzzz"],
            'Unknown command "holdfast zzzz".',
            "Known names: completion, demo, describe, hook, install, open, sample, serve, token.",
        ),
        (["describe", "x", "--coluor", "red"], 'Unknown option "--coluor".', 'Did you mean "--colour"?'),
        (["describe", "x", "--green"], 'Unknown option "--green".', 'Did you mean "--colour green"?'),
        (["describe", "x", "--jsn"], 'Unknown option "--jsn".', 'Did you mean "--json"?'),
        (["serve", "--read-onyl"], 'Unknown option "--read-onyl".', 'Did you mean "--read-only"?'),
        (["--versoin"], 'Unknown option "--versoin".', 'Did you mean "--version"?'),
        (["--root", ".", "describe"], 'Unknown option "--root".', '"--root" goes after the command.'),
        (["describe", "x", "--line"], 'Option "--line" requires an argument.', None),
        (["describe", "x", "--shiny=1"], 'Option "--shiny" does not take a value.', None),
    ],
)
def test_a_typo_is_answered_with_what_was_meant(
    ask: Ask, typed: list[str], message: str, hint: str | None
) -> None:
    status, output, errors = ask(*typed)
    assert (status, output) == (2, "")
    assert errors == f"Error: {message}\n" + (f"Hint: {hint}\n" if hint else "")
