"""Findings as SARIF 2.1.0, the format in which editors and CI services read them.

Contract: URIs are relative to the root of the repository and never show this machine's paths. A finding keeps
its fingerprint when lines move: the fingerprint is computed from the rule, the file and the subject, not from
the line. The same findings give the same document, in the order given.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, TypedDict, Unpack
from urllib.parse import quote

from pydantic import PrivateAttr

from holdfast import __version__
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.engine.scan import FileCounts
from holdfast.analysis.rules import rules_of
from holdfast.kernel.untrusted import visible, visible_in

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
"""The conventional name in SARIF documents for the folder that URIs are relative to."""
FINGERPRINT = "holdfast/v1"
"""The name of a fingerprint, with a version that changes whenever it is computed in another way: programs
only compare fingerprints of the same name."""
_FINGERPRINT_DIGITS = 32
"""Hexadecimal digits of a hash, 128 bits: no two findings have the same by chance."""


class SarifOptions(TypedDict, total=False):
    """What a SARIF document contains besides findings."""

    rules: Iterable[FindingRule]
    """By default those of the findings."""
    total: int
    """The number of all findings, if only some are given."""
    properties: Mapping[str, Any]
    notes: Iterable[str]
    """Further information for the reader, such as what was not measured."""


class ResultWithFindings(FileCounts):
    """A result of an operation that stores the findings behind it, so that it can be rendered as SARIF."""

    _findings: tuple[CodeFinding, ...] = PrivateAttr(default=())
    _options: SarifOptions = PrivateAttr(default_factory=SarifOptions)

    def with_findings(self, findings: Iterable[CodeFinding], **options: Unpack[SarifOptions]) -> Self:
        """Store what `sarif` needs, and return this result."""
        self._findings, self._options = tuple(findings), options
        if "rules" in options:
            self._options["rules"] = tuple(options["rules"])  # a view would equal no other
        return self

    def sarif_text(self) -> str:
        return sarif_text(sarif(self._findings, **self._options))


def sarif(findings: Sequence[CodeFinding], **options: Unpack[SarifOptions]) -> dict[str, Any]:
    """Return a SARIF document with one run, as JSON."""
    rules = list(options["rules"]) if "rules" in options else rules_of(findings)
    rule_index = {rule.id: index for index, rule in enumerate(rules)}
    notes = list(options.get("notes", ()))
    omitted = options.get("total", len(findings)) - len(findings)
    if omitted > 0:
        notes.append(f"{omitted} more findings are left out.")
    occurrences: Counter[str] = Counter()
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "holdfast",
                "version": __version__,
                "rules": [_descriptor(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [_invocation(notes)],
        "results": [_sarif_result(finding, rule_index[finding.rule.id], occurrences) for finding in findings],
    }
    if properties := options.get("properties"):
        run["properties"] = visible_in(dict(properties))
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def sarif_text(document: Mapping[str, Any]) -> str:
    """Return a SARIF document as text."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def _descriptor(rule: FindingRule) -> dict[str, Any]:
    descriptor: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": rule.level},
    }
    if rule.help:
        descriptor["help"] = {"text": rule.help}
    return descriptor


def _invocation(notes: Iterable[str]) -> dict[str, Any]:
    invocation: dict[str, Any] = {"executionSuccessful": True}
    notifications = [{"level": "note", "message": {"text": visible(note)}} for note in notes]
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    return invocation


def _sarif_result(finding: CodeFinding, rule_index: int, occurrences: Counter[str]) -> dict[str, Any]:
    """Return a finding as a `result` of SARIF; `occurrences` tells apart those with equal identities."""
    identity = "\0".join((finding.rule.id, finding.path, finding.subject or finding.message))
    encoded = identity.encode("utf-8", "surrogatepass")  # accepts every string
    key = hashlib.sha256(encoded).hexdigest()[:_FINGERPRINT_DIGITS]
    occurrences[key] += 1
    result: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": finding.level,
        "message": {"text": visible(finding.message)},
        "locations": [{"physicalLocation": _location(finding)}],
        "partialFingerprints": {FINGERPRINT: f"{key}:{occurrences[key]}"},
    }
    if finding.level == "none":
        # Only results of kind `fail`, the default, have another level: SARIF, section 3.27.9.
        result["kind"] = "informational"
    if finding.properties:
        result["properties"] = visible_in(dict(finding.properties))
    return result


def _location(finding: CodeFinding) -> dict[str, Any]:
    uri = quote(finding.path.encode("utf-8", "surrogateescape"), safe="/")  # the bytes of its name
    location: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": ROOT}}
    if finding.line is not None:
        region = {"startLine": finding.line, "endLine": finding.end_line, "startColumn": finding.column}
        location["region"] = {name: value for name, value in region.items() if value is not None}
    return location
