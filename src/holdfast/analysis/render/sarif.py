"""Findings in SARIF 2.1.0, the form in which editors and CI services read them.

Contract: addresses are relative to the root of the repository, never of this machine. A finding keeps its
fingerprint when lines move: it follows from the rule, the file and the thing, not from where that stands. The
same findings give the same document, in the order they came in.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from holdfast import __version__
from holdfast.kernel.untrusted import visible, visible_in

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
"""The name of the folder that addresses are relative to, as readers of such documents know it."""
FINGERPRINT = "holdfast/v1"

Level = Literal["none", "note", "warning", "error"]


@dataclass(frozen=True)
class FindingRule:
    """What findings of one kind break."""

    id: str
    """Short words joined by hyphens: `cyclomatic-complexity`."""
    summary: str
    """A sentence."""
    level: Level = "warning"
    help: str = ""
    """What to do about it."""


@dataclass(frozen=True)
class Finding:
    """Something that was found at a place."""

    rule: str
    level: Level
    message: str
    path: str
    """Relative to the root of the repository."""
    line: int | None = None
    """None where the file as a whole is meant."""
    end_line: int | None = None
    column: int | None = None
    """In characters, beginning with 1, like lines."""
    thing: str = ""
    """What it is about, such as the name of a function, by which it is known again where lines move."""
    properties: Mapping[str, Any] = field(default_factory=dict)


def sarif(
    rules: Iterable[FindingRule],
    findings: Iterable[Finding],
    *,
    properties: Mapping[str, Any] | None = None,
    notes: Iterable[str] = (),
) -> dict[str, Any]:
    """Return a document; `notes` are what its reader has to know, such as what was not measured."""
    declared = list(rules)
    places = {rule.id: index for index, rule in enumerate(declared)}
    seen: Counter[str] = Counter()
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "holdfast",
                "version": __version__,
                "rules": [_rule(rule) for rule in declared],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [_invocation(notes)],
        "results": [_result(finding, places[finding.rule], seen) for finding in findings],
    }
    if properties:
        run["properties"] = visible_in(dict(properties))
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def sarif_text(document: Mapping[str, Any]) -> str:
    """Return a document as text."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def _rule(rule: FindingRule) -> dict[str, Any]:
    described = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": rule.level},
    }
    return described | ({"help": {"text": rule.help}} if rule.help else {})


def _invocation(notes: Iterable[str]) -> dict[str, Any]:
    told = [{"level": "note", "message": {"text": visible(note)}} for note in notes]
    return {"executionSuccessful": True} | ({"toolExecutionNotifications": told} if told else {})


def _result(finding: Finding, place: int, seen: Counter[str]) -> dict[str, Any]:
    key = hashlib.sha256(
        "\0".join((finding.rule, finding.path, finding.thing or finding.message)).encode(
            "utf-8", "surrogatepass"
        )
    ).hexdigest()[:32]
    seen[key] += 1
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": place,
        "level": finding.level,
        "message": {"text": visible(finding.message)},
        "locations": [{"physicalLocation": _location(finding)}],
        "partialFingerprints": {FINGERPRINT: f"{key}:{seen[key]}"},
    }
    if finding.level == "none":
        result["kind"] = "informational"  # what fails a check has a level
    if finding.properties:
        result["properties"] = visible_in(dict(finding.properties))
    return result


def _location(finding: Finding) -> dict[str, Any]:
    uri = quote(finding.path.encode("utf-8", "surrogateescape"), safe="/")
    location: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": ROOT}}
    if finding.line is not None:
        region = {"startLine": finding.line, "endLine": finding.end_line, "startColumn": finding.column}
        location["region"] = {name: value for name, value in region.items() if value is not None}
    return location
