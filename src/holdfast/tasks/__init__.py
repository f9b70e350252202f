"""Tasks: a workspace that several agents and people share, in SQLite or in PostgreSQL.

Importing the package loads nothing. The toolset is made when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.tasks.toolset import tasks as tasks


def __getattr__(name: str) -> object:
    if name != "tasks":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdfast.tasks import operations, toolset

    del operations  # importing it declares what it holds
    return toolset.tasks
