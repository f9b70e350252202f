from __future__ import annotations

import re

import pytest

from holdfast.templates.definition import TemplateMetadata, parse_template
from holdfast.templates.errors import TemplateBroken
from tests.conftest import ROOT

GOOD = """\
+++
category = "notice"
path = "NOTICE"
addresses = [{ toolchain = "rust", variant = "cli", name = "Notice", description = "A notice" }]
parameters = [{ name = "holder", type = "string", default = "nobody", description = "Who." }]
+++
Held by {{ holder }}.
"""


def test_a_file_is_metadata_and_text():
    definition = parse_template("notice.template", GOOD.encode())
    assert definition.metadata.category == "notice"
    assert definition.body == "Held by {{ holder }}.\n"
    assert len(definition.digest) == 64


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("+++\ncategory", "category", "does not begin with metadata"),
        ('category = "notice"', 'category = "Not ice"', "category"),
        ('category = "notice"', "", "category"),
        ('category = "notice"', 'category = "notice"\ncolour = "red"', "colour"),
        ('category = "notice"', "category = notice", "Invalid value"),
        ('"rust"', '"../rust"', "toolchain"),
        ('type = "string"', 'type = "text"', "type"),
        ('type = "string"', 'type = "boolean"', "not a value of type boolean"),
        ('type = "string"', 'type = "string", required = true', "a required parameter has no default"),
        ('type = "string"', 'type = "string", format = "nonsense"', 'unknown format "nonsense"'),
        ('type = "string"', 'type = "string", pattern = "("', "not valid in RE2"),
        ('type = "string"', 'type = "string", pattern = "(?=a)"', "not valid in RE2"),
        ('name = "holder"', 'name = "variant"', "one is called toolchain or variant"),
        ('name = "holder"', 'name = "__class__"', "name"),
        ('path = "NOTICE"', 'path = "NOTICE"\nonly_if = "holder"', "only_if must name a boolean"),
        ('path = "NOTICE"', 'path = "NOTICE"\nversion = "1"', "version"),
        ('name = "Notice"', 'name = "No\\ntice"', "name"),
    ],
)
def test_a_broken_rule_is_named_with_its_file(old: str, new: str, told: str):
    assert old in GOOD
    with pytest.raises(TemplateBroken) as failure:
        parse_template("notice.template", GOOD.replace(old, new, 1).encode())
    assert told in failure.value.message
    assert "'notice.template'" in failure.value.message


def test_bytes_that_are_no_text_are_no_template():
    with pytest.raises(TemplateBroken, match="not UTF-8"):
        parse_template("notice.template", GOOD.encode() + b"\xff")


def test_the_documented_example_is_a_template_and_every_key_is_documented():
    page = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```toml\n(\+\+\+\n.*?)```", page, re.DOTALL)
    definition = parse_template("documented.template", example.encode())
    assert definition.metadata.parameters
    for keys in (TemplateMetadata.model_fields, type(definition.metadata.parameters[0]).model_fields):
        assert [key for key in keys if f"`{key}`" not in page] == []
