"""A table into TOML and out of it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.installation.formats.entry import CannotEdit, DamagedText, EntryState
from holdfast.installation.formats.toml_table import TomlTable

TABLE = TomlTable("mcp_servers", "holdfast", {"command": "holdfast", "args": ["serve"]})
PIECES = (
    '# a note\nmodel = "o9"\n',
    "approval = { mode = 'ask' } # inline\n",
    "[tools]\nweb = true\n\n# about the next table\n",
    '[mcp_servers.other]\ncommand = "other"\nargs = [\n  "a", # first\n]\n',
    '[mcp_servers.other.env]\nKEY = "value"\n',
    '[[profiles]]\nname = "x"\n',
    '[texts]\nlong = """\n[mcp_servers.fake]\n"""\n',
    '["mcp_servers"."quoted name"]\ncommand = "q"\n',
    "\n\n",
)
TEXTS = st.lists(st.sampled_from(PIECES), unique=True, max_size=6).map("".join)
ENDS = st.sampled_from(["\n", "\r\n"])


def is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@pytest.mark.requirement("install-1")
@given(TEXTS.filter(is_toml), ENDS, st.booleans())
def test_a_table_is_added_at_the_end_and_nothing_else_changes(text: str, end: str, cut: bool):
    text = text.removesuffix("\n") if cut else text
    text = text.replace("\n", end)
    if not is_toml(text):
        return
    after = TABLE.add(text)
    assert after.startswith(text)
    data, servers = tomllib.loads(text), tomllib.loads(text).get("mcp_servers", {})
    assert tomllib.loads(after) == {**data, "mcp_servers": {**servers, "holdfast": TABLE.values}}
    assert TABLE.state(after) is EntryState.PRESENT


@pytest.mark.requirement("install-2")
@given(TEXTS.filter(is_toml), ENDS)
def test_a_table_taken_out_leaves_every_other_line(text: str, end: str):
    text = text.replace("\n", end)
    removed = TABLE.remove(TABLE.add(text), text)
    assert removed.rstrip() == text.rstrip()
    assert tomllib.loads(removed) == tomllib.loads(text)


@pytest.mark.requirement("install-2")
def test_what_follows_the_table_stays_with_its_comments():
    text = (
        '[mcp_servers.holdfast]\ncommand = "/opt/holdfast"\n# mine\nargs = []\n\n'
        '[mcp_servers.holdfast.env]\nA = "b"\n\n# about tools\n[tools]\nweb = true\n'
    )
    assert TABLE.state(text) is EntryState.CHANGED
    assert TABLE.remove(text, "") == "\n# about tools\n[tools]\nweb = true\n"


@pytest.mark.requirement("install-3")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a = 1\nmcp_servers = { other = { command = "x" } }\n', 2),
        ("a = 1\nmcp_servers = 3\n", 1),
        ('\n[mcp_servers.holdfast]\ncommand = "anchor"\n', 2),
        ('mcp_servers.holdfast.url = "x"\n', 1),
    ],
)
def test_what_cannot_be_added_to_is_refused(text: str, line: int):
    with pytest.raises(CannotEdit) as failure:
        _ = TABLE.state(text), TABLE.add(text)
    assert failure.value.line == line


def test_an_entry_written_as_dotted_names_is_left_to_a_person():
    text = 'mcp_servers.holdfast.command = "holdfast"\n[tools]\nweb = true\n'
    assert TABLE.state(text) is EntryState.CHANGED
    with pytest.raises(CannotEdit, match="only a person"):
        TABLE.remove(text, "")


@pytest.mark.requirement("install-4")
@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = \n", 2), ("a = 1\na = 2\n", 2), ('a = """\n', 2)])
def test_damage_is_named_by_its_line(text: str, line: int):
    with pytest.raises(DamagedText) as failure:
        TABLE.state(text)
    assert failure.value.line == line
