"""Imports every module in which operations, resources and prompts of the room declare themselves."""

from __future__ import annotations

from holdfast.tasks import (
    adding,
    attachments,
    audit,
    charting,
    claiming,
    document_resources,
    documents,
    flows,
    focus,
    listing,
    looking,
    moving,
    prompting,
    prompts,
    reporting,
    resources,
    ruling,
    shortcuts,
    starting,
    stepping,
    turning,
    updating,
)
from holdfast.tasks.github import operations as github
from holdfast.tasks.imports import operations as imports
from holdfast.tasks.remote import operations as remote

__all__ = [
    "adding",
    "attachments",
    "audit",
    "charting",
    "claiming",
    "document_resources",
    "documents",
    "flows",
    "focus",
    "github",
    "imports",
    "listing",
    "looking",
    "moving",
    "prompting",
    "prompts",
    "remote",
    "reporting",
    "resources",
    "ruling",
    "shortcuts",
    "starting",
    "stepping",
    "turning",
    "updating",
]
