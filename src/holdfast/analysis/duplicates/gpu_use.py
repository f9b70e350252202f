"""Whether a search for clones used a GPU. Apart from `array_module.py`, as reports do not need NumPy."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class GpuUse:
    """Whether a GPU was requested and used, and if not, why."""

    requested: bool = False
    used: bool = False
    reason: str | None = "No GPU was requested."
    """Why it was not used; None if it was."""
    device: str | None = None
    """The name of the GPU; None if none was found."""

    def unused(self, reason: str) -> GpuUse:
        """Return this with a GPU that was not used after all."""
        return replace(self, used=False, reason=reason)
