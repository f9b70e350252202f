"""The git configuration for merging sidecars automatically. `holdfast install git` writes it."""

from __future__ import annotations

NAME = "comments"
CONFIGURATION = (
    '[merge "holdfast-comments"]',
    "\tname = unite the comments of both sides",
    "\tdriver = {holdfast} comments merge %O %A %B %P",
)
ATTRIBUTES = ("*.comments merge=holdfast-comments",)
