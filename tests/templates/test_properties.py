"""Whatever arrives: a finding or a file, never a surprise."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.templates.address import SCHEME, TemplateAddress
from holdfast.templates.definition import TemplateDefinition, parse_template
from holdfast.templates.errors import InvalidTemplateUri, TemplateBroken
from tests.templates.test_builtin import BUILT_IN, ROOM, required
from tests.templates.test_definition import GOOD

MAKEFILE = ROOM.find("template://makefile/rust/cli")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
NAMES = st.sampled_from([item.name for item in MAKEFILE.parameters]) | st.text()


def assert_read_or_refused(content: bytes) -> None:
    """Read a file as a template; whatever else it raises than that it is none fails the test."""
    try:
        result: object = parse_template("x.template", content)
    except TemplateBroken as failure:
        result = failure.message
    assert isinstance(result, TemplateDefinition) or "'x.template'" in str(result)


@given(st.text())
def test_an_address_is_three_names_or_refused(text: str):
    for uri in (text, SCHEME + text, f"{SCHEME}{text}/rust/cli"):
        try:
            address = TemplateAddress.parse(uri)
        except InvalidTemplateUri:
            continue
        assert TemplateAddress.parse(address.uri) == address
        assert ".." not in address.uri


@given(st.binary() | st.text().map(str.encode))
def test_a_file_is_a_template_or_says_why_not(content: bytes):
    for file in (content, b"+++\n" + content + b"\n+++\n"):
        assert_read_or_refused(file)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 20), st.text(max_size=20))
def test_a_damaged_template_is_a_template_or_says_why_not(start: int, length: int, text: str):
    assert_read_or_refused((GOOD[:start] + text + GOOD[start + length :]).encode("utf-8", "replace"))


@given(st.dictionaries(NAMES, JSON))
def test_any_parameters_are_accepted_or_every_problem_is_told(parameters: dict[str, Any]):
    found = MAKEFILE.problems(parameters)
    assert all(problem.message and problem.field.isascii() for problem in found)
    if not found:
        assert ROOM.generate(MAKEFILE, parameters).content


@given(st.data())
def test_no_accepted_line_of_text_adds_a_line_to_a_file(data: st.DataObject):
    template = data.draw(st.sampled_from(BUILT_IN))
    texts = [item for item in template.parameters if item.type == "string" and not item.multiline]
    before = {item.name: item.default for item in texts if item.default} | required(template)
    line = st.text(min_size=1) | st.from_regex("[a-z]{4}[0-9a-z -]{0,9}")
    given_now = {item.name: data.draw(line) for item in texts if item.name in before}
    if not template.problems(required(template) | given_now):
        made = ROOM.generate(template, required(template) | given_now).content
        usual = ROOM.generate(template, required(template)).content
        assert made.count("\n") == usual.count("\n") or template.address.category == "license"
