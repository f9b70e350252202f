"""The toolset that the operations on the source register with."""

from __future__ import annotations

from holdfast.kernel.toolset import Toolset

source = Toolset("source", "The source itself: folders, files and their lines.")
