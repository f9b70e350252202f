"""The toolset in which the operations, resources and prompts for comments are registered."""

from __future__ import annotations

from holdfast.kernel.toolset import Toolset

FAMILY = "paired-comments"

comments = Toolset(
    "comments",
    "Notes on lines of code that follow the code when it changes, stored beside it in `<source>.comments`.",
    family=FAMILY,
)
