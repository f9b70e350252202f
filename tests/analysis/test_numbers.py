"""Where the specification says number, a number with a fraction is accepted."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.schema import input_schema
from holdfast.toolsets import toolset

ANALYZE = {operation.name: operation for operation in toolset("analyze").operations}


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("analyze_complexity", {"max_cyclomatic": 10.5}, 10),
        ("analyze_complexity", {"max_cognitive": 15.5}, 15),
        ("analyze_complexity", {"top_files": 5.0}, 5),
        ("analyze_code_churn", {"period_days": 30.5}, 30.5),
        ("analyze_deep_context", {"period_days": 30.5}, 30.5),
        ("analyze_deep_context", {"max_depth": 2.5}, 2),
        ("analyze_deep_context", {"parallel": 2.5}, 2),
        ("analyze_duplicates", {"threshold": 0.85}, 0.85),
        ("analyze_duplicates", {"min_lines": 5.5}, 6),
        ("analyze_defect_probability", {"min_confidence": 0.7}, 0.7),
        ("analyze_comprehensive", {"confidence_threshold": 0.5}, 0.5),
        ("analyze_comprehensive", {"min_lines": 10.5}, 11),
        ("analyze_name_similarity", {"query": "x", "top_k": 10.5}, 10),
        ("quality_gate", {"complexity_threshold": 10.5}, 10.5),
        ("quality_gate", {"duplication_threshold": 5.5}, 5.5),
        ("quality_gate", {"coverage_threshold": 80.5}, 80.5),
        ("quality_gate", {"defect_threshold": 0.3}, 0.3),
    ],
)
def test_a_specified_number_may_have_a_fraction(tool: str, given: dict[str, Any], meant: float) -> None:
    operation = ANALYZE[tool]
    required = {"project_path": "."} | ({"toolchain": "python"} if tool == "analyze_complexity" else {})
    accepted = validate_arguments(operation.input, required | given)
    name = [*given][-1]
    assert getattr(accepted, name) == meant
    schema = input_schema(operation)["properties"][name]
    assert "number" in {schema.get("type"), *(part.get("type") for part in schema.get("anyOf", []))}
