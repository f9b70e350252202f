"""Entries into JSON and out of it: what is not ours stays, whatever the layout."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.installation.formats.entry import CannotEdit, DamagedText, EntryState
from holdfast.installation.formats.json_entry import JsonHook, JsonMember
from holdfast.installation.formats.jsonc import insert, parse

SERVER = {"type": "stdio", "command": "holdfast", "args": ["serve"]}
MEMBER = JsonMember(("mcpServers",), "holdfast", SERVER, allows_comments=True)
STRICT = JsonMember(("mcpServers",), "holdfast", SERVER)
HOOK = JsonHook("UserPromptSubmit", "holdfast inbox drain --hook || exit 1", 10, allows_comments=True)

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
OTHER_SERVERS = st.dictionaries(NAMES.filter(lambda name: name != "holdfast"), VALUES, max_size=3)
OTHER_HOOKS = st.lists(st.just({"hooks": [{"type": "command", "command": "make check"}]}), max_size=2)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": OTHER_SERVERS,
        "hooks": st.fixed_dictionaries({}, optional={"UserPromptSubmit": OTHER_HOOKS, "Stop": OTHER_HOOKS}),
        "theme": VALUES,
        "é": VALUES,
    },
)
COMMENTS = ("// a note", "/* a note */", '/* two\nlines { " */', '// }, ] " \\')


@st.composite
def spelled(draw: st.DrawFn, value: Any, *, allows_comments: bool, indent: str) -> str:
    """Spell a value with spaces, line ends, comments and trailing commas wherever they are allowed."""

    def blank() -> str:
        if not allows_comments or draw(st.integers(0, 5)) != 0:
            return draw(st.sampled_from(["", " ", "\n", "\n" + indent]))
        return f" {draw(st.sampled_from(COMMENTS))}\n{indent}"

    def write(value: Any) -> str:
        if isinstance(value, dict) and value:
            inner = ",".join(
                f"{blank()}{json.dumps(k)}{blank()}:{blank()}{write(v)}{blank()}" for k, v in value.items()
            )
            return "{" + inner + comma() + "}"
        if isinstance(value, list) and value:
            return "[" + ",".join(f"{blank()}{write(item)}{blank()}" for item in value) + comma() + "]"
        return f"{json.dumps(value, ensure_ascii=draw(st.booleans()))}"

    def comma() -> str:
        return f",{blank()}" if allows_comments and draw(st.booleans()) else ""

    text = blank() + write(value) + blank()
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@st.composite
def documents(draw: st.DrawFn, *, allows_comments: bool) -> tuple[str, dict[str, Any]]:
    data = draw(SETTINGS)
    layout = draw(st.sampled_from(["compact", "two", "four", "tab", "wild"]))
    if layout == "wild":
        return draw(
            spelled(data, allows_comments=allows_comments, indent=draw(st.sampled_from(["  ", "\t"])))
        ), data
    indent = {"compact": None, "two": 2, "four": 4, "tab": "\t"}[layout]
    return json.dumps(data, indent=indent) + draw(st.sampled_from(["", "\n"])), data


def dense(text: str) -> str:
    return re.sub(r"\s+", "", text)


def is_kept_in_order(before: str, after: str) -> bool:
    """Return whether everything of one text stands in the other, in the same order."""
    rest = iter(after)
    return all(character in rest for character in before if not character.isspace())


@given(documents(allows_comments=False))
def test_json_reads_as_the_standard_library_reads_it(document: tuple[str, dict[str, Any]]):
    text, data = document
    assert (
        parse(text, allows_comments=False).data
        == parse(text, allows_comments=True).data
        == json.loads(text)
        == data
    )


@given(documents(allows_comments=True))
def test_comments_and_trailing_commas_are_read_past(document: tuple[str, dict[str, Any]]):
    text, data = document
    assert parse(text, allows_comments=True).data == data


@pytest.mark.requirement("install-1")
@given(documents(allows_comments=True))
def test_a_server_is_added_and_nothing_else_changes(document: tuple[str, dict[str, Any]]):
    text, data = document
    after = MEMBER.add(text)
    servers = {**data.get("mcpServers", {}), "holdfast": SERVER}
    assert parse(after, allows_comments=True).data == {**data, "mcpServers": servers}
    assert is_kept_in_order(text, after)
    assert [after.count(note) for note in COMMENTS] >= [text.count(note) for note in COMMENTS]
    assert MEMBER.state(after) is EntryState.PRESENT
    assert ("\r\n" in after) == ("\r\n" in text)


@pytest.mark.requirement("install-1")
@given(documents(allows_comments=False))
def test_strict_json_stays_strict(document: tuple[str, dict[str, Any]]):
    text, data = document
    after = STRICT.add(text)
    assert json.loads(after)["mcpServers"]["holdfast"] == SERVER
    assert json.loads(STRICT.remove(after, text)) == data


@pytest.mark.requirement("install-2")
@given(documents(allows_comments=True))
def test_a_server_taken_out_leaves_what_was_there_but_for_space(document: tuple[str, dict[str, Any]]):
    text, _ = document
    assert dense(MEMBER.remove(MEMBER.add(text), text)) == dense(text)


@pytest.mark.requirement("install-2")
@given(documents(allows_comments=True))
def test_a_hook_taken_out_leaves_what_was_there_but_for_space(document: tuple[str, dict[str, Any]]):
    text, data = document
    after = HOOK.add(text)
    hooks = data.get("hooks", {})
    groups = [*hooks.get("UserPromptSubmit", []), *HOOK.only_entry]
    assert parse(after, allows_comments=True).data == {**data, "hooks": {**hooks, "UserPromptSubmit": groups}}
    assert is_kept_in_order(text, after)
    assert dense(HOOK.remove(after, text)) == dense(text)


@pytest.mark.requirement("install-2")
@given(documents(allows_comments=True))
def test_what_somebody_added_in_between_stays(document: tuple[str, dict[str, Any]]):
    text, _ = document

    def edited(text: str) -> str:
        return insert(text, parse(text, allows_comments=True), True, "later")

    assert dense(MEMBER.remove(edited(MEMBER.add(text)), text)) == dense(edited(text))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "mcpServers": {\n    "holdfast": H\n  }\n}\n'),
        ("{}", '{\n  "mcpServers": {\n    "holdfast": H\n  }\n}'),
        ('{"a": 1}', '{"a": 1, "mcpServers": {"holdfast": H}}'),
        ('{\n\t"a": 1 // one\n}\n', '{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"holdfast": H\n\t}\n}\n'),
        (
            '{\n  "mcpServers": {\n    "x": {}, // last\n  },\n}',
            '{\n  "mcpServers": {\n    "x": {}, // last\n    "holdfast": H,\n  },\n}',
        ),
        ('{"mcpServers": { /* none */ }}', '{"mcpServers": { /* none */\n  "holdfast": H\n}}'),
    ],
)
def test_what_is_new_takes_after_what_is_there(before: str, after: str):
    result = MEMBER.add(before)
    shown = re.sub(r'("holdfast": )\{[^}]*\}', r"\1H", result)
    assert shown == after


@pytest.mark.requirement("install-4")
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, "'}' was expected"),
        ('{\n  "a": 1,\n}', 2, "there is a comma before '}'"),
        ("{\n  // note\n}", 2, "comments are not allowed in this file"),
        ('{\n  "a": tru\n}', 2, "a value was expected"),
        ('{\n  "a": 01\n}', 2, "'01' is not a value"),
        ('{"a": 1,\n "a": 2}', 2, "the name 'a' is given twice"),
        ('{"a": [1, 2}', 1, "']' was expected"),
        ('{"a": "b', 1, "a value was expected"),
        ('{"a": "\\q"}', 1, "'\"\\\\q\"' is not a value"),
        ('{\n"a": {', 2, "the document ends too early"),
        ("{}\n{}", 2, "there is text after the end of the document"),
        ("{a: 1}", 1, "a name in double quotes was expected"),
        ("[" * 300, 1, "values are nested more than 200 deep"),
        ("{'a': 1}", 1, "a name in double quotes was expected"),
    ],
)
def test_damage_is_named_by_its_line(text: str, line: int, problem: str):
    with pytest.raises(DamagedText) as failure:
        STRICT.state(text)
    assert (failure.value.line, failure.value.problem) == (line, problem)


@given(st.text(st.sampled_from('{}[]",:/*\\ \n1at'), max_size=30))
def test_no_text_is_taken_for_json_that_the_standard_library_refuses(text: str):
    try:
        expected: Any = json.loads(text, object_pairs_hook=unambiguous)
    except ValueError:
        with pytest.raises(DamagedText):
            parse(text, allows_comments=False)
    else:
        assert parse(text, allows_comments=False).data == expected


def unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


@pytest.mark.requirement("install-3")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "the document is not an object"),
        ('{"mcpServers": []}', "'mcpServers' is not an object"),
        (
            '{"mcpServers": {\n"holdfast": {"command": "anchor"}}}',
            "another server has the name 'holdfast' there",
        ),
        ('{"mcpServers": {"holdfast": 3}}', "another server has the name 'holdfast' there"),
    ],
)
def test_what_stands_in_the_way_is_refused(text: str, problem: str):
    with pytest.raises(CannotEdit) as failure:
        MEMBER.state(text)
    assert failure.value.problem == problem
    assert failure.value.line == text.count("\n") + 1


@pytest.mark.parametrize("command", ["holdfast", "/opt/tools/bin/holdfast", "C:\\tools\\holdfast"])
def test_an_entry_that_starts_holdfast_another_way_is_known_as_changed(command: str):
    text = json.dumps({"mcpServers": {"holdfast": {"command": command, "args": ["serve", "--read-only"]}}})
    assert MEMBER.state(text) is EntryState.CHANGED


def test_only_our_command_leaves_a_group_that_holds_others_too():
    theirs = {"type": "command", "command": "make check"}
    mixed = {"hooks": {"UserPromptSubmit": [{"hooks": [theirs, *HOOK.only_entry[0]["hooks"]]}]}}
    text = json.dumps(mixed, indent=2)
    assert HOOK.state(text) is EntryState.CHANGED
    assert json.loads(HOOK.remove(text, "")) == {"hooks": {"UserPromptSubmit": [{"hooks": [theirs]}]}}


def test_every_command_of_ours_goes_and_nothing_that_only_sounds_like_it():
    def group(command: str) -> dict[str, Any]:
        return {"hooks": [{"type": "command", "command": command}]}

    theirs = group("echo holdfast-inbox drain")
    groups = [group("holdfast inbox drain --hook"), theirs, group("'/opt/a b/holdfast' inbox drain --hook")]
    text = json.dumps({"hooks": {"UserPromptSubmit": groups}})
    assert json.loads(HOOK.remove(text, "")) == {"hooks": {"UserPromptSubmit": [theirs]}}
