"""Items into the list of a YAML file and out of it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.contributions import contributions
from holdfast.installation.clients import LAZYGIT
from holdfast.installation.formats.entry import CannotEdit, DamagedText, EntryState
from holdfast.installation.formats.yaml_items import YamlItems
from tests.installation.places import context

ITEMS = LAZYGIT.entries(context("/r"), contributions())[0].entry
assert isinstance(ITEMS, YamlItems)
OURS = yaml.safe_load(ITEMS.snippet)["customCommands"]

HEADS = ("", "# my own file\n", "gui:\n  theme: {a: [b]} # inline\n", "gui:\n  scrollHeight: 2\n\n")
FLOW = "    # first\n    - {key: C, command: git cz}\n\n"
LITERAL = "    - key: X\n      context: files\n      command: |\n        # not a comment\n        true\n"
FOLDED = "    prompts:\n      - type: input\n        title: >-\n          folded\n\n"
LISTS = (
    "",
    "customCommands:\n",
    "customCommands: []\n",
    "customCommands: [] # none yet\n",
    "customCommands: ~\n",
    "customCommands:\n  - key: 'C'\n    command: 'git cz'\n",
    "customCommands:\n- key: C\n  command: git cz # commit\n  # trailing\n",
    "customCommands:\n" + FLOW + LITERAL,
    "customCommands:\n  - key: '<c-y>'\n    context: 'commits'\n    command: 'x'\n" + FOLDED,
)
TAILS = ("", "# the end\n", "\ngit:\n  autoFetch: false\n", "os:\n  edit: 'vi'\n")
TEXTS = st.tuples(*map(st.sampled_from, (HEADS, LISTS, TAILS))).map("".join)
ENDS = st.sampled_from(["\n", "\r\n"])


def data(text: str) -> dict[str, object]:
    return yaml.safe_load(text) or {}


@pytest.mark.requirement("install-1")
@given(TEXTS, ENDS, st.booleans())
def test_items_are_added_and_every_line_stays(text: str, end: str, cut: bool):
    assume(not (cut and text.endswith("true\n")))  # ending the last line would change that value
    text = (text.removesuffix("\n") if cut else text).replace("\n", end)
    after = ITEMS.add(text)
    assert data(after) == {**data(text), "customCommands": [*(data(text).get("customCommands") or []), *OURS]}
    assert ITEMS.state(after) is EntryState.PRESENT
    rest = iter(after.splitlines())
    kept = [line.replace(" []", "").replace(" ~", "") for line in text.splitlines()]
    assert [line for line in kept if line not in rest] == []


@pytest.mark.requirement("install-2")
@given(TEXTS, ENDS)
def test_items_taken_out_leave_what_was_there(text: str, end: str):
    text = text.replace("\n", end)
    removed = ITEMS.remove(ITEMS.add(text), text)
    before = data(text)
    wanted = (
        {**before, "customCommands": before["customCommands"] or []} if "customCommands" in before else before
    )
    assert data(removed) == wanted
    assert removed.count("#") == text.count("#")


def test_a_value_that_the_end_of_the_file_is_part_of_is_not_changed():
    with pytest.raises(CannotEdit, match="cannot be edited safely"):
        ITEMS.add("customCommands:\n  - command: |\n      true")


def test_items_taken_out_by_lines_leave_the_others_and_their_comments():
    text = "customCommands:\n  # mine\n  - key: C\n    command: git cz\n"
    between = ITEMS.add(text) + "  # later\n  - key: D\n    command: git d\n"
    assert ITEMS.remove(between, text) == text + "  # later\n  - key: D\n    command: git d\n"


def test_an_entry_pasted_by_hand_counts_as_ours():
    text = "customCommands:\n  - {key: <c-y>, context: files, command: holdfast send --file=x}\n"
    assert ITEMS.state(text) is EntryState.CHANGED
    assert ITEMS.remove(text, "") == ""


def test_a_command_of_the_users_own_that_sends_remarks_stays():
    text = "customCommands:\n  - {key: Z, context: files, command: holdfast send --file=x --comment=Fine}\n"
    assert ITEMS.state(text) is EntryState.ABSENT
    assert ITEMS.remove(ITEMS.add(text), text) == text


@pytest.mark.requirement("install-3")
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("- a\n", 1, "the document is not a mapping"),
        ("a: 1\ncustomCommands: x\n", 2, "'customCommands' is not a list"),
        ("customCommands: [{key: C, command: x}]\n", 1, "'customCommands' is written in brackets"),
        (
            "customCommands:\n  - key: '<c-y>'\n    context: 'commits, files'\n    command: mine\n",
            2,
            "<c-y> runs another command in 'commits, files'",
        ),
        ("a: 1\n...\n", 1, "'customCommands' is written in a way that cannot be edited safely"),
    ],
)
def test_what_cannot_be_added_to_is_refused(text: str, line: int, problem: str):
    with pytest.raises(CannotEdit) as failure:
        _ = ITEMS.state(text), ITEMS.add(text)
    assert (failure.value.line, failure.value.problem) == (line, problem)


@pytest.mark.requirement("install-4")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: [\n", 3),
        ("a: 1\n\tb: 2\n", 2),
        ("a: b: c\n", 1),
        ("a: 1\nb: \x00\n", 2),
        ("a: !!x 1\n", 1),
        ("a: 1\n---\nb: 2\n", 2),
    ],
)
def test_damage_is_named_by_its_line(text: str, line: int):
    with pytest.raises(DamagedText) as failure:
        _ = ITEMS.state(text), ITEMS.add(text)
    assert failure.value.line == line
