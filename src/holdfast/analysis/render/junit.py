"""A verdict in the XML of JUnit, as CI services read it: one suite, one case for each check.

Contract: what comes out is well-formed whatever the texts hold. It has every attribute and element that the
stricter of the schemas in use asks for, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from holdfast.analysis.gate.check import GateCheck
from holdfast.kernel.untrusted import visible

_SUITE = "holdfast.quality_gate"


def junit_text(checks: Iterable[GateCheck], generated_at: str) -> str:
    """Return the checks of a gate, made at a moment in RFC 3339, as a document."""
    told = list(checks)
    root = Element("testsuites")
    suite = SubElement(
        root,
        "testsuite",
        name=_SUITE,
        package="holdfast",
        id="0",
        timestamp=generated_at[: len("YYYY-MM-DDTHH:MM:SS")],
        hostname="localhost",  # whose machine it is concerns nobody
        tests=str(len(told)),
        failures=str(sum(one.status == "fail" for one in told)),
        errors="0",
        skipped=str(sum(one.status == "not_measured" for one in told)),
        time=_seconds(told),
    )
    SubElement(suite, "properties")
    for one in told:
        _case(suite, one)
    SubElement(suite, "system-out")
    SubElement(suite, "system-err")
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}'


def _case(suite: Element, one: GateCheck) -> None:
    case = SubElement(suite, "testcase", name=one.check, classname=_SUITE, time=_seconds([one]))
    if one.status == "not_measured":
        SubElement(case, "skipped", message=_text(one.reason or "not measured"))
    elif one.status == "fail":
        failure = SubElement(case, "failure", type=one.check, message=_text(one.headline))
        failure.text = _text("\n".join(one.lines(len(one.violations))))


def _seconds(checks: Iterable[GateCheck]) -> str:
    spans = [one.analysis_duration for one in checks]
    return f"{sum(span.secs + span.nanos / 1e9 for span in spans):.3f}"


def _text(text: str) -> str:
    """Return a text without what XML cannot hold, and without what nobody can see."""
    return visible(text).replace("\ufffe", "").replace("\uffff", "")
