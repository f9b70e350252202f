"""What can be wrong with a template, its address or its parameters. Their codes are in `kernel/codes.py`."""

from __future__ import annotations

from holdfast.kernel.errors import Corrupted, Invalid, NotFound


class InvalidTemplateUri(Invalid):
    """An address is not of the form `template://category/toolchain/variant`."""

    kind = "invalid_template_uri"
    number = 4061


class ParameterValidation(Invalid):
    """Parameters of a template are missing, unknown, or not what the template accepts."""

    kind = "parameter_validation"
    number = 4062


class TemplateNotFound(NotFound):
    """No template has that address."""

    kind = "template_not_found"
    number = 4046


class TemplateBroken(Corrupted):
    """A template cannot be read or rendered as it is written."""

    kind = "template_broken"
    number = 5026
