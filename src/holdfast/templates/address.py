"""The address of a template: `template://category/toolchain/variant`.

Contract: an address is exactly three names. It is compared, never joined to a path. Anything else (another
scheme, more or fewer parts, dots, a query, an escape that hides any of these) is refused before a lookup.
Percent escapes are decoded exactly once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from holdfast.kernel.text import shorten
from holdfast.templates.errors import InvalidTemplateUri

SCHEME = "template://"
NAME_PATTERN = r"[a-z0-9]+(?:-[a-z0-9]+)*"

_NAME = re.compile(NAME_PATTERN)
MAX_NAME_CHARACTERS = 40
"""A judgement: the longest built-in name has 12."""
_MAX_QUOTED_CHARACTERS = 100
"""Characters of an invalid address in an error message; a judgement: real ones have about 40."""


@dataclass(frozen=True, order=True)
class TemplateAddress:
    """The address of a template."""

    category: str
    toolchain: str
    variant: str

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(uri: str) -> TemplateAddress:
        """Parse a URI, or raise `InvalidTemplateUri`."""
        parts = uri.removeprefix(SCHEME).split("/")
        if not uri.startswith(SCHEME) or len(parts) != len(TemplateAddress.__match_args__):
            raise malformed(uri)
        return TemplateAddress.of(*(_decode(part, uri) for part in parts))

    @classmethod
    def of(cls, category: str, toolchain: str, variant: str) -> TemplateAddress:
        """Return the address with these three names, or raise `InvalidTemplateUri`."""
        for name in (category, toolchain, variant):
            if not is_name(name):
                raise malformed(f"{SCHEME}{category}/{toolchain}/{variant}")
        return cls(category, toolchain, variant)

    @property
    def uri(self) -> str:
        return f"{SCHEME}{self.category}/{self.toolchain}/{self.variant}"

    def __str__(self) -> str:
        return self.uri


def is_name(text: str) -> bool:
    """Return whether `text` can be one of the three names."""
    return len(text) <= MAX_NAME_CHARACTERS and _NAME.fullmatch(text) is not None


def malformed(uri: str) -> InvalidTemplateUri:
    """Return the error for an invalid address."""
    # Escaped, because it may contain control characters or lone surrogates.
    shown = ascii(shorten(uri, _MAX_QUOTED_CHARACTERS, mark="...", beyond=True))
    return InvalidTemplateUri(
        f"{shown} is not the address of a template.",
        hint="It has the form template://category/toolchain/variant, such as template://makefile/rust/cli.",
        uri=shown[1:-1],  # without the quotes of `ascii`
    )


def _decode(part: str, uri: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise malformed(uri) from None
