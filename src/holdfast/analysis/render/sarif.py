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
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import quote

from pydantic import PrivateAttr

from holdfast import __version__
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.engine.scan import FileCounts
from holdfast.analysis.rules import broken_rules
from holdfast.kernel.untrusted import visible, visible_in

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
"""The conventional name in SARIF documents for the folder that URIs are relative to."""
FINGERPRINT = "holdfast/v1"
MAX_RESULTS = 4000
"""Results in the document of several analyses: a judgement, below the 5,000 of a run that GitHub's code
scanning shows,
https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit."""


@dataclass(frozen=True)
class SarifContent:
    """The arguments of `sarif` for one result."""

    findings: tuple[CodeFinding, ...] = ()
    rules: tuple[FindingRule, ...] | None = None
    total: int | None = None
    properties: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


class SarifResult(FileCounts):
    """A result that stores the findings behind it, so that it can be rendered as SARIF."""

    _content: SarifContent = PrivateAttr(default_factory=SarifContent)

    def with_findings(
        self,
        findings: Iterable[CodeFinding],
        *,
        rules: Iterable[FindingRule] | None = None,
        total: int | None = None,
        properties: Mapping[str, Any] | None = None,
        notes: Iterable[str] = (),
    ) -> Self:
        """Store findings and the other arguments of `sarif`, and return this result."""
        declared = None if rules is None else tuple(rules)
        self._content = SarifContent(tuple(findings), declared, total, properties, tuple(notes))
        return self

    def sarif_text(self) -> str:
        """Return this result as a SARIF document."""
        return sarif_text(sarif(**vars(self._content)))


def sarif(
    findings: Sequence[CodeFinding],
    *,
    rules: Iterable[FindingRule] | None = None,
    total: int | None = None,
    properties: Mapping[str, Any] | None = None,
    notes: Iterable[str] = (),
) -> dict[str, Any]:
    """Return a SARIF document.

    `rules` are by default those that the findings break. `total` is the number of all findings if only some
    are given. `notes` are further information for the reader, such as what was not measured.
    """
    declared = broken_rules(findings) if rules is None else list(rules)
    rule_index = {rule.id: index for index, rule in enumerate(declared)}
    notes = list(notes)
    if total is not None and total > len(findings):
        notes.append(f"{total - len(findings)} more findings are left out.")
    occurrences: Counter[str] = Counter()
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
        "results": [_result(finding, rule_index[finding.rule.id], occurrences) for finding in findings],
    }
    if properties:
        run["properties"] = visible_in(dict(properties))
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def sarif_text(document: Mapping[str, Any]) -> str:
    """Return a document as text."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def _rule(rule: FindingRule) -> dict[str, Any]:
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


def _result(finding: CodeFinding, rule_index: int, occurrences: Counter[str]) -> dict[str, Any]:
    identity = "\0".join((finding.rule.id, finding.path, finding.subject or finding.message))
    key = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
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
    uri = quote(finding.path.encode("utf-8", "surrogateescape"), safe="/")
    location: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": ROOT}}
    if finding.line is not None:
        region = {"startLine": finding.line, "endLine": finding.end_line, "startColumn": finding.column}
        location["region"] = {name: value for name, value in region.items() if value is not None}
    return location
