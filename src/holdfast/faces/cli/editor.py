"""`--editor`: a text written in the person's own editor instead of on the command line."""

from __future__ import annotations

from typing import Any

import click

from holdfast.kernel.errors import Invalid
from holdfast.kernel.operation import Operation

_VARIABLES = "GIT_MILE_EDITOR, VISUAL or EDITOR"


def editor_option(argument: str) -> click.Option:
    """Return the option that asks for the editor."""
    return click.Option(
        ["--editor"], is_flag=True, help=f"Write the {argument} in your editor ({_VARIABLES})."
    )


def with_written(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with what a person wrote, beginning from what they typed."""
    from holdfast.storage.processes.editor import written_in_editor

    name = operation.written_in_editor
    assert name is not None
    text = written_in_editor(str(given.get(name) or ""))
    if not text.strip():
        raise Invalid(f"The {name} is empty; nothing was done.", hint="Write something and save it.")
    return given | {name: text}
