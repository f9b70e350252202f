"""What a list's cursor belongs to, for the whole program and for quick commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def identity(kind: str, filter_text: str, sort: Sequence[str], *, include_closed: bool) -> str:
    """Return everything that decides which items come in which order; a cursor of another list is refused."""
    return repr(("git_mile.list", kind, filter_text.strip(), [*sort], include_closed))
