"""Errors about a template, its address or its parameters. Their codes are in `kernel/codes.py`."""

from __future__ import annotations

from holdfast.kernel.errors import Corrupted, Invalid, NotFound


class InvalidTemplateUri(Invalid, kind="invalid_template_uri", number=4061):
    """An address is not of the form `template://category/toolchain/variant`."""


class ParameterValidation(Invalid, kind="parameter_validation", number=4062):
    """Parameters of a template are missing, unknown or invalid."""


class TemplateNotFound(NotFound, kind="template_not_found", number=4046):
    """No template has that address."""


class TemplateBroken(Corrupted, kind="template_broken", number=5026):
    """A template file cannot be read or rendered."""
