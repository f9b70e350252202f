"""The XML of JUnit as the schemas in use describe it, the stricter one where they differ, and nothing beyond.

Written from the structure that CI services publish: which elements stand in which, in which order, and which
attributes each must have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple
from xml.etree import ElementTree

NUMBER, SECONDS, TEXT = r"\d+", r"\d+\.\d{3}", r"(?s).*\S.*"
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"


class Shape(NamedTuple):
    """What an element may hold: children as a pattern over their names, each followed by a space."""

    children: str = ""
    attributes: Mapping[str, str] = MappingProxyType({})
    has_text: bool = False


SHAPES = {
    "testsuites": Shape(r"testsuite "),
    "testsuite": Shape(
        r"properties (testcase )*system-out system-err ",
        {
            "name": TEXT,
            "package": TEXT,
            "id": NUMBER,
            "timestamp": MOMENT,
            "hostname": TEXT,
            "tests": NUMBER,
            "failures": NUMBER,
            "errors": NUMBER,
            "skipped": NUMBER,
            "time": SECONDS,
        },
    ),
    "properties": Shape(),
    "testcase": Shape(r"(skipped |failure )?", {"name": TEXT, "classname": TEXT, "time": SECONDS}),
    "failure": Shape("", {"message": TEXT, "type": TEXT}, has_text=True),
    "skipped": Shape("", {"message": TEXT}),
    "system-out": Shape(has_text=True),
    "system-err": Shape(),
}


def check_junit(text: str) -> ElementTree.Element:
    """Return the suite of a document that is JUnit's, whose counts are those of its cases."""
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>')
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert root.tag == "testsuites"
    _check(root)
    [suite] = root
    cases = suite.findall("testcase")
    assert int(suite.attrib["tests"]) == len(cases) == len({case.attrib["name"] for case in cases})
    for name, element in (("failures", "failure"), ("skipped", "skipped")):
        assert int(suite.attrib[name]) == sum(case.find(element) is not None for case in cases)
    return suite


def _check(element: ElementTree.Element) -> None:
    shape = SHAPES[element.tag]
    names = "".join(f"{child.tag} " for child in element)
    assert re.fullmatch(shape.children, names), (element.tag, names)
    assert element.attrib.keys() == shape.attributes.keys(), element.tag
    for name, value in element.attrib.items():
        assert re.fullmatch(shape.attributes[name], value), (element.tag, name, value)
    assert shape.has_text or not (element.text or "").strip(), element.tag
    for child in element:
        _check(child)
