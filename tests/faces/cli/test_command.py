"""A generated command: its page, its words, its JSON, its failures and its status."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.kernel import errors as error_tree
from holdfast.kernel.errors import HoldfastError, OutOfSpace
from tests.faces.cli.conftest import Ask

PAGE = """\
Usage: holdfast sample describe [OPTIONS] THING [EXTRA-WORDS]...

  Say back everything that was given.

  The second paragraph explains more, and is wrapped to the width of the
  terminal that shows it.

Arguments:
  THING             What to describe.  [required]
  [EXTRA-WORDS]...  Words to add.

Options:
  --line INTEGER           A line.
  --weight NUMBER          How heavy it is.  [default: 1.5]
  --colour red|green|blue  Its colour.  [default: red]
  --size small|large       Its size.
  --shiny                  Whether it shines.
  --solid / --no-solid     Whether it is solid.  [default: true]
  --known / --no-known     Whether anybody knows it.
  --labels JSON            Counted labels.
  --corner JSON            Where it is.
  --corners JSON           Where its corners are.  [may be repeated]
  --anything JSON          Whatever you like.
  --source-path TEXT       Where it comes from.

Common options:
  --root DIRECTORY  Where to look for the repository.  [default: the current
                    directory]  [env var: HOLDFAST_ROOT]
  --json            Print the result as JSON.
  -h, --help        Show this page and exit.

Example:
  holdfast sample describe lamp --colour green --label "{}"
"""

BRANCHES = [
    error
    for error in vars(error_tree).values()
    if isinstance(error, type) and issubclass(error, HoldfastError) and error is not HoldfastError
]


def test_help_shows_description_arguments_and_example(ask: Ask) -> None:
    assert ask("sample", "describe", "--help") == (0, PAGE, "")


def test_the_shortcut_is_the_same_command(ask: Ask) -> None:
    assert ask("describe", "--help")[1] == PAGE.replace("holdfast sample describe [", "holdfast describe [")
    assert ask("describe", "lamp") == ask("sample", "describe", "lamp") == (0, "a red lamp\n", "")


def test_json_is_exactly_the_result_on_one_line(ask: Ask) -> None:
    status, output, errors = ask("describe", "größe", "--json")
    assert (status, errors) == (0, "")
    assert output == '{"received":{"thing":"größe"},"text":"a red größe"}\n'


@pytest.mark.parametrize("error", BRANCHES, ids=lambda error: error.__name__)
def test_every_error_ends_with_the_status_of_its_branch(ask: Ask, error: type[HoldfastError]) -> None:
    status, output, errors = ask("sample", "fail", "--kind", error.__name__)
    assert (status, output) == (error.exit_code, "")
    assert errors == "Error: It failed.\nHint: Try another.\n"


def test_each_branch_of_the_error_tree_has_a_status_of_its_own() -> None:
    first_level = [error for error in BRANCHES if error.__bases__ == (HoldfastError,)]
    statuses = [error.exit_code for error in first_level]
    assert len(set(statuses)) == len(statuses)
    assert not set(statuses) & {0, 1, 74, 141}
    below = [error for error in BRANCHES if error not in first_level]
    apart = [error for error in below if error.exit_code not in {base.exit_code for base in error.__bases__}]
    assert apart == [OutOfSpace], "a script can free space and try again; what is not there stays away"
    assert OutOfSpace.exit_code not in statuses


def test_each_kind_and_number_belongs_to_one_error() -> None:
    for attribute in ("kind", "number"):
        values = [getattr(error, attribute) for error in BRANCHES]
        assert len(set(values)) == len(values), attribute


def test_a_failure_in_json_is_one_object_with_five_members(ask: Ask) -> None:
    status, output, errors = ask("sample", "fail", "--kind", "NotFound", "--json")
    assert status == 3
    assert errors == "Error: It failed.\nHint: Try another.\n"
    assert json.loads(output) == {
        "error": {
            "kind": "not_found",
            "code": 4040,
            "message": "It failed.",
            "hint": "Try another.",
            "data": {"path": "a.txt"},
        }
    }


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["describe", "--json"], "invalid_arguments"),
        (["describe", "lamp", "--colur", "red", "--json"], "invalid_arguments"),
        (["describe", "--json", "lamp", "--line"], "invalid_arguments"),
        (["sample", "describ", "--json"], "unknown_tool"),
        (["nothing", "--json"], "unknown_tool"),
        (["--json", "sample", "damage"], "invalid_arguments"),
        (["sample", "fail", "--kind", "Busy", "--json"], "busy"),
    ],
)
def test_every_failure_has_the_same_shape_in_json(ask: Ask, arguments: list[str], kind: str) -> None:
    status, output, errors = ask(*arguments)
    failure: dict[str, Any] = json.loads(output)
    assert list(failure) == ["error"]
    assert list(failure["error"]) == ["kind", "code", "message", "hint", "data"]
    assert failure["error"]["kind"] == kind
    assert status != 0
    # Programs are told of the field, people of what they type.
    message = failure["error"]["message"].replace('argument "thing"', "argument THING")
    assert errors.startswith(f"Error: {message}\n")


def test_a_defect_is_reported_by_reference_and_not_in_the_answer(
    ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    status, output, _ = ask("sample", "fail", "--kind", "defect", "--json")
    failure = json.loads(output)["error"]
    assert (status, failure["kind"]) == (70, "internal")
    assert failure["data"]["reference"] in failure["message"]
    assert "secret detail" not in output
    assert failure["data"]["reference"] in caplog.text
    assert "ZeroDivisionError: secret detail" in caplog.text


def test_a_result_may_ask_for_a_status_of_its_own(ask: Ask) -> None:
    assert ask("sample", "damage", "--json") == (8, '{"count":1}\n', "")


def test_a_result_without_words_is_shown_as_json(ask: Ask) -> None:
    assert ask("sample", "damage") == (8, '{"count":1}\n', "")


def test_bad_arguments_are_told_before_the_workspace_is_looked_for(ask: Ask) -> None:
    status, _, errors = ask("describe", "--root", "/nowhere/at/all")
    usage = "holdfast describe [OPTIONS] THING [EXTRA-WORDS]..."
    hint = f'Hint: Usage: {usage}; "holdfast describe --help" shows more.'
    assert (status, errors) == (2, f"Error: missing argument THING.\n{hint}\n")


def test_a_root_that_does_not_exist_is_not_found(ask: Ask) -> None:
    status, _, errors = ask("describe", "lamp", "--root", "/nowhere/at/all")
    assert status == 3
    assert errors == "Error: The directory given as --root does not exist.\nHint: Pass an existing one.\n"
