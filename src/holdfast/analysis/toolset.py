"""The toolset in which the room's operations, resources and prompts declare themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from holdfast.kernel.operation import Effect
from holdfast.kernel.toolset import Toolset

if TYPE_CHECKING:
    from typing import Unpack

    from holdfast.kernel.toolset import OperationOptions

_Function = Callable[[Any, Any], Any]


class _AnalysisToolset(Toolset):
    """A toolset whose operations run where their room runs them: in a server, in a process of their own."""

    def operation(
        self,
        name: str,
        *,
        title: str,
        effect: Effect,
        example: str,
        command: str | None = None,
        **more: Unpack[OperationOptions],
    ) -> Callable[[_Function], _Function]:
        declare = super().operation(
            name, title=title, effect=effect, example=example, command=command, **more
        )

        def declare_running(function: _Function) -> _Function:
            @wraps(function)
            def run(room: Any, arguments: Any) -> Any:
                return room.run(function, arguments)

            declare(run)
            return function

        return declare_running


analyze = _AnalysisToolset(
    "analyze",
    "Measured facts about the code: complexity, churn, debt, dead code, dependencies.",
    family="toolkit",
)
