"""What other programs wrote is read within bounds, whatever it holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import holdfast
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.foreign_document import (
    UnreadableDocument,
    check_limits,
    parse_json,
    parse_toml,
    parse_yaml,
)

DEPTH = LIMITS.foreign_depth
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


def lists(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("text", ['{"a": [1, null, "\\u202e"]}', b'{"a": 1.5}', lists(DEPTH), "3"])
def test_json_within_the_bounds_is_read(text: str | bytes) -> None:
    assert parse_json(text) is not None


@pytest.mark.parametrize("text", [lists(DEPTH + 1), lists(100_000), "[" * 100_000, "9" * 5000, b"\xff", "{"])
def test_json_beyond_the_bounds_is_named_as_unreadable(text: str | bytes) -> None:
    with pytest.raises(UnreadableDocument):
        parse_json(text)


@pytest.mark.parametrize(
    "text",
    [
        f"a = {lists(2000)}",
        "a = " + "{b=" * 2000,
        "a" + ".a" * 80_000 + " = 1",
        '"a"' + " . 'b'" * 40_000 + " = 1",
        f"[{'.'.join('a' * 200)}]",
        "a = 1\na = 2",
    ],
    ids=lambda text: text[:12],
)
def test_toml_beyond_the_bounds_is_named_as_unreadable(text: str) -> None:
    with pytest.raises(UnreadableDocument):
        parse_toml(text)


def test_toml_within_the_bounds_is_read() -> None:
    text = f'a.b."c.d" = {lists(90)}\n[x.y]\nz = "{"and so on . . . " * 200}"\n'
    assert parse_toml(text)["a"]["b"].keys() == {"c.d"}


@pytest.mark.parametrize(
    "text",
    [
        BOMB, "&a [*a]", "[" * 60_000, "{" * 3000, "- " * 20_000, f"a: {'b' * 70_000}", "a: !!timestamp x",
        "a: !!int ''", "a: !!bool x", "a: 2024-99-99", f"a: 0x{'f' * 9000}", f"a: {'1:' * 9000}1", "a\x00",
        f"a: {'1:' * 9000}1.5", "!!python/object/apply:os.system [ls]",
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_yaml_beyond_the_bounds_is_named_as_unreadable(text: str) -> None:
    with pytest.raises(UnreadableDocument):
        parse_yaml(text)


def test_yaml_within_the_bounds_is_read_and_a_mistake_has_its_line() -> None:
    assert parse_yaml("a: &anchor [1, {b: c}]\nd: {<<: {e: f}}") == {"a": [1, {"b": "c"}], "d": {"e": "f"}}
    with pytest.raises(UnreadableDocument) as caught:
        parse_yaml("a: 1\nb: *a\n")
    assert caught.value.line == 2


def test_without_the_bounds_a_kilobyte_stands_for_more_than_memory_holds() -> None:
    value = yaml.safe_load(BOMB)
    assert len(BOMB) < 1024
    with pytest.raises(UnreadableDocument, match="values"):
        check_limits(value)


def test_no_other_module_reads_yaml_or_toml_without_these_bounds() -> None:
    """But for the one that edits a person's own configuration, and takes its values from `check_limits`."""
    package = Path(holdfast.__file__).parent
    reading = re.compile(
        r"yaml\.(?:safe_)?load|tomllib\.load|minidom|expat"
        r"|ElementTree(?! import Element, SubElement, indent, tostring\n)"  # which only write
    )
    found = {path.name for path in package.rglob("*.py") if reading.search(path.read_text())}
    assert found == {"foreign_document.py", "yaml_items.py"}
