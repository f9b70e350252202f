"""The part of SARIF 2.1.0 that Holdfast writes, as a JSON Schema that lets nothing else through.

The whole schema is that of OASIS, which the package `@microsoft/jest-sarif` brings where Node's packages are
installed; this one is stricter and always here.
"""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.conftest import NODE_HOME

OFFICIAL = (
    NODE_HOME / "node_modules" / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"
)
needs_official = pytest.mark.skipif(
    not OFFICIAL.exists(), reason="the packages of tests/clients are not installed"
)

LEVEL = {"enum": ["none", "note", "warning", "error"]}
NUMBER = {"type": "integer", "minimum": 1}
TEXT = {"type": "string", "minLength": 1}


def only(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


MESSAGE = only({"text": TEXT})
RULE = only(
    {"id": TEXT, "shortDescription": MESSAGE, "defaultConfiguration": only({"level": LEVEL})},
    {"help": MESSAGE},
)
LOCATION = only(
    {
        "artifactLocation": only(
            {
                # A relative reference: no scheme, no root, nothing that is not percent-encoded.
                "uri": {"type": "string", "pattern": r"^(?!/)(?!\.\.)([A-Za-z0-9_.~/-]|%[0-9A-F]{2})+$"},
                "uriBaseId": {"const": "%SRCROOT%"},
            }
        )
    },
    {"region": only({"startLine": NUMBER}, {"endLine": NUMBER, "startColumn": NUMBER})},
)
RESULT = only(
    {
        "ruleId": TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": {"type": "array", "minItems": 1, "items": only({"physicalLocation": LOCATION})},
        "partialFingerprints": only({"holdfast/v1": TEXT}),
    },
    {"kind": {"const": "informational"}, "properties": {"type": "object"}},
)
RUN = only(
    {
        "tool": only(
            {
                "driver": only(
                    {
                        "name": {"const": "holdfast"},
                        "version": TEXT,
                        "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                    }
                )
            }
        ),
        "columnKind": {"const": "unicodeCodePoints"},
        "originalUriBaseIds": only({"%SRCROOT%": only({"description": MESSAGE})}),
        "invocations": {
            "type": "array",
            "items": only(
                {"executionSuccessful": {"type": "boolean"}},
                {
                    "toolExecutionNotifications": {
                        "type": "array",
                        "items": only({"level": LEVEL, "message": MESSAGE}),
                    }
                },
            ),
        },
        "results": {"type": "array", "items": RESULT},
    },
    {"properties": {"type": "object"}},
)
SCHEMA = only(
    {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": RUN},
    }
)


def check_sarif(document: dict[str, Any] | str) -> dict[str, Any]:
    """Return a document that is SARIF 2.1.0 and whose results name rules that it declares."""
    document = json.loads(document) if isinstance(document, str) else document
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    if OFFICIAL.exists():
        check_official(document)
    for run in document["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(set(rules)) == len(rules)
        assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
        prints = [tuple(result["partialFingerprints"].items()) for result in run["results"]]
        assert len(set(prints)) == len(prints)
    return document


def check_official(document: dict[str, Any]) -> None:
    schema = json.loads(OFFICIAL.read_text(encoding="utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(document)
