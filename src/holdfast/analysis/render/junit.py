"""Renders checks as JUnit XML, which CI services read: one suite, with one case for each check.

Contract: the document is well-formed whatever the texts contain. There are several schemas for JUnit XML; it
has every attribute and element that the strictest one requires, in the required order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from holdfast.kernel.untrusted import visible


class JUnitCase(NamedTuple):
    """One check: it passed if it was neither skipped nor failed."""

    name: str
    seconds: float
    skipped: str | None = None
    """Why it was skipped; None if it was not."""
    failure: str | None = None
    """Why it failed, in one line; None if it did not."""
    details: str = ""
    """The lines below that one, only shown if it failed."""
    output: str = ""
    """Lines that are shown although it passed."""


def junit(suite_name: str, cases: Sequence[JUnitCase], timestamp: str) -> str:
    """Return a document; `timestamp` is in the format of RFC 3339."""
    root = Element("testsuites")
    suite = SubElement(
        root,
        "testsuite",
        name=suite_name,
        package="holdfast",
        id="0",
        timestamp=timestamp[: len("YYYY-MM-DDTHH:MM:SS")],  # the strictest schema allows no time zone
        hostname="localhost",  # it also requires a name of the machine, which is not published
        tests=str(len(cases)),
        failures=str(sum(case.failure is not None for case in cases)),
        errors="0",
        skipped=str(sum(case.skipped is not None for case in cases)),
        time=_seconds(sum(case.seconds for case in cases)),
    )
    SubElement(suite, "properties")
    for case in cases:
        _add_case(suite, suite_name, case)
    output = SubElement(suite, "system-out")
    output.text = _xml_text("\n".join(case.output for case in cases if case.output)) or None
    SubElement(suite, "system-err")
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}'


def _add_case(suite: Element, suite_name: str, case: JUnitCase) -> None:
    element = SubElement(suite, "testcase", name=case.name, classname=suite_name, time=_seconds(case.seconds))
    if case.skipped is not None:
        SubElement(element, "skipped", message=_xml_text(case.skipped))
    elif case.failure is not None:
        failure = SubElement(element, "failure", type=case.name, message=_xml_text(case.failure))
        failure.text = _xml_text(case.details)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _xml_text(text: str) -> str:
    """Return text without invisible characters, and without characters that XML 1.0 forbids."""
    return visible(text).replace("\ufffe", "").replace("\uffff", "")
