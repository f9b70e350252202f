"""Calls of the operations on memories, the memory they run on, and why their plain text is safe."""

from __future__ import annotations

from tests.contract.case import Case

PATH = "src/notes.py"
MEMORY, UNKNOWN = "c_1730000000020", "c_1730000000099"

MEMORY_CASES: list[Case] = [
    Case("recall", ("recall",)),
    Case("recall", ("recall", "launcher", "--retired"), {"words": "launcher", "retired": True}),
    Case("recall", ("recall", "--path", PATH, "--max-tokens", "50"), {"path": PATH, "max_tokens": 50}),
    Case("recall", ("recall", "--path", "../x"), {"path": "../x"}, "invalid_path"),
    Case("recall", ("comments", "recall", "--max-tokens", "0"), {"max_tokens": 0}, "invalid_arguments"),
    Case("recall", ("recall", "--task", "TP-999"), {"task": "TP-999"}, "not_found"),
    Case(
        "remember",
        ("remember", 'Größe: "quotes"', "--about", "src", "--author", "Ada"),
        {"text": 'Größe: "quotes"', "about": "src", "author": "Ada"},
    ),
    Case("remember", ("remember", 'Größe: "quotes"'), {"text": 'Größe: "quotes"'}, "conflict"),
    Case(
        "remember", ("remember", 'Größe: "quotes"', "--anyway"), {"text": 'Größe: "quotes"', "anyway": True}
    ),
    Case(
        "remember",
        ("remember", "Unlike the others", "--about", f"{PATH}:99"),
        {"text": "Unlike the others", "about": f"{PATH}:99"},
        "invalid_line_number",
    ),
    Case("remember", ("remember",), {}, "invalid_arguments"),
    Case("remember", ("remember", "--import", "../x"), {"import": "../x"}, "invalid_path"),
    Case("confirm_memory", ("comments", "confirm-memory", MEMORY), {"memoryId": MEMORY}),
    Case("confirm_memory", ("comments", "confirm-memory", UNKNOWN), {"memoryId": UNKNOWN}, "not_found"),
    Case(
        "correct_memory",
        ("comments", "correct-memory", MEMORY, "Called twice", "--author", "Ada"),
        {"memoryId": MEMORY, "text": "Called twice", "author": "Ada"},
    ),
    Case("correct_memory", ("comments", "correct-memory", MEMORY), {"memoryId": MEMORY}, "invalid_arguments"),
    Case(
        "retire_memory",
        ("comments", "retire-memory", MEMORY, "The launcher is gone"),
        {"memoryId": MEMORY, "reason": "The launcher is gone"},
    ),
    Case(
        "retire_memory",
        ("comments", "retire-memory", "x", "y"),
        {"memoryId": "x", "reason": "y"},
        "invalid_arguments",
    ),
]

_OUR_ID = "an id in the form of ours, checked against it or derived by us"

MEMORY_PLAIN_TEXT: dict[str, str] = {
    f"{model}.id": _OUR_ID for model in ("MemoryFacts", "ConfirmedMemory", "CorrectedMemory", "RetiredMemory")
}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""
