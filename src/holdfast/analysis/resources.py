"""Resources: the result of each analysis tool for the whole project, with default arguments, by URI."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.analysis.complexity.toolchain import AUTO
from holdfast.analysis.room import Analysis
from holdfast.analysis.toolset import analyze

_TOOLS_BY_URI = {
    "complexity": "analyze_complexity",
    "churn": "analyze_code_churn",
    "debt": "analyze_debt",
    "dead-code": "analyze_dead_code",
    "duplicates": "analyze_duplicates",
    "graph": "analyze_dependency_graph",
    "graph-metrics": "analyze_graph_metrics",
    "defects": "analyze_defect_probability",
    "context": "analyze_deep_context",
    "comprehensive": "analyze_comprehensive",
    "trend": "analyze_trend",
    "gate": "quality_gate",
}


def _reader(tool: str) -> Callable[[Analysis], str]:
    def read(room: Analysis) -> str:
        """Return the tool's result for the whole project, as JSON."""
        operation = next(operation for operation in analyze.operations if operation.name == tool)
        values = {"project_path": ".", "format": "json"}
        if tool == "analyze_complexity":
            values["toolchain"] = AUTO  # the only other required argument
        arguments = operation.input.model_validate(values)
        return operation.function(room, arguments).model_dump_json(by_alias=True)

    return read


for _name, _tool in _TOOLS_BY_URI.items():
    analyze.resource(
        f"analysis://{_name}",
        name=f"Analysis: {_name}",
        description=f"The result of {_tool} for the whole project, with its default limits",
        mime_type="application/json",
    )(_reader(_tool))
