"""What a line does is told from its words, or not at all."""

from __future__ import annotations

import pytest

from holdfast.comments.tracking.line_roles import role_of
from holdfast.comments.tracking.lines import tokens_of

OPENERS = {
    "if (ready) {": "condition",
    "} else if (ready) {": "condition",
    "elif ready:": "condition",
    "} else {": "alternative",
    "case READY:": "alternative",
    "for (int i = 0; i < 3; i++) {": "loop",
    "OUTER: while (true) {": "loop",
    "async for row in rows:": "loop",
    "try {": "try",
    "} catch (IOException failure) {": "handler",
    "except ValueError:": "handler",
    "} finally {": "cleanup",
    "switch (kind) {": "switch",
    "with open(path) as handle:": "resource",
    "run();": "",
    "iffy = 3": "",
    "": "",
}
DECLARATIONS = {
    "String name = read();": "name",
    "final Map<String, List<Integer>> held = new HashMap<>();": "held",
    "@Nullable String namespace;": "namespace",
    "int[] lengths = new int[3];": "lengths",
    "unsigned char *start = text;": "start",
    "let mut total = 0;": "total",
    "const limit: number = 3": "limit",
    "value, err := load()": "value",
    "name = read();": "",
    "self.name = read()": "",
    "return name;": "",
    "throw failure;": "",
    "name == other;": "",
    "run(name);": "",
}


@pytest.mark.parametrize(("line", "kind"), OPENERS.items())
def test_a_line_that_opens_a_block_is_recognized_by_its_first_word(line: str, kind: str):
    assert role_of(tokens_of(line)).opens == kind


@pytest.mark.parametrize(("line", "name"), DECLARATIONS.items())
def test_a_declaration_is_distinguished_from_an_assignment(line: str, name: str):
    assert role_of(tokens_of(line)).declares == name
