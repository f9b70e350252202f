"""Failures of this room's own."""

from __future__ import annotations

from holdfast.kernel.errors import Invalid, NotFound


class UnknownEntity(NotFound, Invalid):
    """No milestone or issue has that name: the specification counts it among invalid parameters."""

    kind = "unknown_entity"
    number = 4042


class AmbiguousEntity(Invalid):
    """The beginning of a name fits several milestones or issues."""

    kind = "ambiguous_entity"
    number = 4007
