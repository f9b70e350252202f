"""The toolset in which the operations on the source are registered."""

from __future__ import annotations

from holdfast.kernel.toolset import Toolset

source = Toolset("source", "The source itself: folders, files and their lines.")
