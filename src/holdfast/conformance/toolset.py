"""The hidden toolset, and the small picture and sound that several fixtures show."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any

from holdfast.kernel.operation import Effect, Output, Toolset

conformance = Toolset(
    "conformance",
    "What the protocol's test suite calls.",
    hidden=True,
    changing_lists=frozenset({"tools", "prompts"}),
)


class Said(Output):
    """A fixture's result: what it says."""

    text: str


def fixture(
    name: str, *, title: str, effect: Effect = Effect.READ, **more: Any
) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """Declare a tool of the suite, which says its text."""
    more.setdefault("text", lambda result: result.text)
    example = f"holdfast conformance {name.replace('_', '-')}"
    return conformance.operation(name, title=title, effect=effect, example=example, **more)


def red_pixel() -> bytes:
    """Return a PNG of one red pixel."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\x00\xff\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


def silence() -> bytes:
    """Return a WAV of one silent sample."""
    sample_format = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    body = b"WAVEfmt " + struct.pack("<I", 16) + sample_format + b"data" + struct.pack("<I", 1) + b"\x80\x00"
    return b"RIFF" + struct.pack("<I", len(body)) + body
