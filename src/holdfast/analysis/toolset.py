"""The toolset in which the room's operations, resources and prompts declare themselves."""

from __future__ import annotations

from functools import wraps
from typing import Any

from holdfast.kernel.toolset import OperationFunction, Toolset


class _AnalysisToolset(Toolset):
    """A toolset whose operations run where their room runs them: in a server, in a process of their own."""

    def executed(self, function: OperationFunction) -> OperationFunction:
        @wraps(function)
        def run(room: Any, arguments: Any) -> Any:
            return room.run(function, arguments)

        return run


analyze = _AnalysisToolset(
    "analyze",
    "Measured facts about the code: complexity, churn, debt, dead code, dependencies.",
    family="toolkit",
)
