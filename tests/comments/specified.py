"""The input schemas of the specification's seven tools, as it shows them."""

from __future__ import annotations

from typing import Any

TAGS = ["TODO", "FIXME", "NOTE", "STAR", "QUESTION"]
ID = r"^c_\d+$"


def _text(description: str | None = None, **more: Any) -> dict[str, Any]:
    described = {} if description is None else {"description": description}
    return {"type": "string", **described, **more}


def _object(properties: dict[str, Any], *required: str, description: str | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return schema if description is None else schema | {"description": description}


SCHEMAS: dict[str, dict[str, Any]] = {
    "add_comment": _object(
        {
            "filePath": _text("Relative path to source file from workspace root", example="src/app.ts"),
            "line": {
                "type": "integer",
                "description": "Line number where comment should be added (1-indexed)",
                "minimum": 1,
            },
            "text": _text("Comment text content", minLength=1, maxLength=10000),
            "tag": _text("Comment tag category", enum=TAGS),
            "author": _text("Author name (e.g., 'claude', 'gpt-4', 'user')", default="ai"),
            "aiMeta": _object(
                {
                    "model": _text(),
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "reasoning": _text(),
                },
                description="Optional AI metadata",
            ),
        },
        *("filePath", "line", "text", "tag"),
    ),
    "edit_comment": _object(
        {
            "filePath": _text("Path to source file containing the comment"),
            "commentId": _text("Unique comment ID (e.g., 'c_1730000000000')", pattern=ID),
            "text": _text("New comment text", minLength=1, maxLength=10000),
        },
        *("filePath", "commentId", "text"),
    ),
    "delete_comment": _object(
        {"filePath": _text("Path to source file"), "commentId": _text("Comment ID to delete", pattern=ID)},
        *("filePath", "commentId"),
    ),
    "search_comments": _object(
        {
            "query": _text("Search query (supports regex)", minLength=1),
            "filters": _object(
                {
                    "tag": _text(enum=TAGS),
                    "author": _text(),
                    "filePath": _text("Filter by specific file or glob pattern"),
                    "hasAIMetadata": {"type": "boolean", "description": "Only return AI-enriched comments"},
                    "dateRange": _object(
                        {"start": _text(format="date-time"), "end": _text(format="date-time")}
                    ),
                },
                description="Optional filters to narrow results",
            ),
            "limit": {
                "type": "integer",
                "description": "Max results to return",
                "default": 100,
                "maximum": 1000,
            },
        },
        "query",
    ),
    "get_file_comments": _object(
        {
            "filePath": _text("Path to source file"),
            "includeOrphaned": {
                "type": "boolean",
                "description": "Include orphaned comments (anchors no longer exist)",
                "default": True,
            },
        },
        "filePath",
    ),
    "move_comment": _object(
        {
            "sourceFile": _text("Current file containing the comment"),
            "targetFile": _text("Destination file (can be same as source)"),
            "commentId": _text(pattern=ID),
            "targetLine": {"type": "integer", "description": "New line number in target file", "minimum": 1},
        },
        *("sourceFile", "targetFile", "commentId", "targetLine"),
    ),
    "export_comments": _object(
        {
            "format": _text("Export format", enum=["json", "markdown", "jsonl", "parquet"]),
            "filePath": _text("Optional: Export only specific file (omit for all files)"),
            "options": _object(
                {
                    "includeSourceContext": {
                        "type": "boolean",
                        "description": "Include surrounding code lines",
                        "default": False,
                    },
                    "contextLines": {
                        "type": "integer",
                        "description": "Lines of context before/after",
                        "default": 3,
                        "minimum": 0,
                        "maximum": 20,
                    },
                }
            ),
        },
        "format",
    ),
}

PROMPTS: dict[str, dict[str, Any]] = {
    "review_code": {
        "description": "Review code and suggest TODO/FIXME comments for improvements",
        "arguments": [
            {"name": "filePath", "description": "File to review", "required": True},
            {
                "name": "focus",
                "description": "Review focus area",
                "required": False,
                "default": "all",
                "enum": ["security", "performance", "maintainability", "all"],
            },
        ],
    },
    "explain_complexity": {
        "description": "Add NOTE comments explaining complex functions/algorithms",
        "arguments": [
            {"name": "filePath", "description": "File to analyze", "required": True},
            {
                "name": "complexityThreshold",
                "description": "Cyclomatic complexity threshold",
                "required": False,
                "default": 10,
            },
        ],
    },
    "training_export": {
        "description": "Export workspace comments as AI training data (JSONL format)",
        "arguments": [
            {
                "name": "includeContext",
                "description": "Include code context around comments",
                "required": False,
                "default": True,
            }
        ],
    },
    "fix_orphans": {
        "description": "Analyze orphaned comments and suggest new anchor locations",
        "arguments": [
            {
                "name": "filePath",
                "description": "File with orphaned comments (omit for all files)",
                "required": False,
            }
        ],
    },
}


def differences(expected: Any, found: Any, place: str = "$") -> list[str]:
    """Return where something falls short of what a specification shows; saying more is allowed.

    The names of properties and what is required must be the very same; a description may go on.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        told = [f"{place}.{name} is missing" for name in expected.keys() - found.keys()]
        for name in expected.keys() & found.keys():
            if name == "properties" and expected[name].keys() != found[name].keys():
                told.append(f"{place}.properties are {sorted(found[name])}")
            told += differences(expected[name], found[name], f"{place}.{name}")
        if "required" in found and "required" not in expected and place.count("properties"):
            told.append(f"{place} requires {found['required']}")
        return told
    if isinstance(expected, str) and place.endswith(".description"):
        return [] if str(found).startswith(expected) else [f"{place} is {found!r}"]
    return [] if expected == found else [f"{place} is {found!r}, not {expected!r}"]
