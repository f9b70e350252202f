"""`read_image`: an image file of the repository."""

from __future__ import annotations

import base64
from types import MappingProxyType

from pydantic import Field

from holdfast.kernel.content import Content, Image, Text
from holdfast.kernel.errors import Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.source.room import Source, resolve_typed
from holdfast.source.toolset import source
from holdfast.storage.files.repo_path import RepoPath

_MEDIA_TYPES = MappingProxyType(
    {
        "avif": "image/avif", "gif": "image/gif", "ico": "image/x-icon", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "png": "image/png", "svg": "image/svg+xml", "webp": "image/webp",
    }
)  # fmt: skip
"""By file extension: the formats that every browser shows (MDN, "Image file type and format guide")."""
_TEXT_TYPE = "image/svg+xml"
"""An image that is text, which models read as such."""


class ReadImage(Input):
    """An image file."""

    file: RepoPath = Field(
        description=f"A file, from the root of the repository: {', '.join(sorted(_MEDIA_TYPES))}."
    )
    revision: str | None = Field(
        default=None,
        max_length=LIMITS.path_characters,
        description="A commit, branch or tag; by default the work tree.",
    )


class SourceImage(Output):
    """An image."""

    file: UntrustedText
    mime: str
    size: int = Field(description="In bytes.")
    data: str = Field(description="The content in Base64.")

    @property
    def file_content(self) -> bytes:
        """The content, which the command line writes to a pipe."""
        return base64.b64decode(self.data)


def _text(result: SourceImage) -> str:
    return f"{result.file} ({result.mime}, {result.size} bytes)."


def _content(result: SourceImage) -> list[Content]:
    if result.mime == _TEXT_TYPE:
        return [Text(f"{_text(result)} It is text: read it with read_source.")]
    return [Text(_text(result)), Image(result.file_content, result.mime)]


@source.operation(
    "read_image",
    title="Look at an image",
    effect=Effect.READ,
    command="image",
    positional=("file",),
    example="holdfast source image docs/sketch.png --json",
    listed=False,
    text=_text,
    content=_content,
    structured=False,
    fill_in=resolve_typed("file"),
)
def read_image(room: Source, args: ReadImage) -> SourceImage:
    """Show an image of the repository."""
    mime = _MEDIA_TYPES.get(args.file.name.rpartition(".")[2].lower())
    if mime is None:
        raise Invalid(
            f"'{args.file.text}' is not named like an image.", hint="Read it with read_source instead."
        )
    data = room.content(args.file, room.commit(args.revision))
    return SourceImage(
        file=args.file.text, mime=mime, size=len(data), data=base64.b64encode(data).decode("ascii")
    )
