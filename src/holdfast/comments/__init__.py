"""Notes on code that stay with the code they were written for.

Importing the package loads nothing. The toolset is made when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.comments.toolset import comments as comments


def __getattr__(name: str) -> object:
    if name != "comments":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdfast.comments import listing, operations, prompts, resources, scanning, toolset
    from holdfast.comments.export import operations as exporting
    from holdfast.comments.search import operations as searching
    from holdfast.comments.union import operations as uniting

    # Importing them declares what they hold.
    del listing, operations, prompts, resources, scanning
    del exporting, searching, uniting
    return toolset.comments
