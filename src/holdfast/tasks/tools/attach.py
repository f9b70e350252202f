"""`taskpilot_attach` and `taskpilot_attachment`: files attached to tasks, such as pictures and logs."""

from __future__ import annotations

import base64
import mimetypes
from dataclasses import replace
from shlex import quote
from typing import Annotated

from pydantic import Field

from holdfast.kernel.content import Audio, Content, ContentAnnotations, Embedded, Image, Link, Text
from holdfast.kernel.errors import InvalidArguments, NotFound, OutOfDate
from holdfast.kernel.models import ExpectedFormat, IntegerOrNone
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText, visible
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.tasks.caller import reading, writing
from holdfast.tasks.connected_files import resolve_typed_paths
from holdfast.tasks.models import AttachmentOut, InSession, Reported, ShortText, TaskId, TaskReceipt
from holdfast.tasks.store import items, lease, rows
from holdfast.tasks.store.attachment import NewFile, attach_file, attached_at, is_text, read_content
from holdfast.tasks.store.records import Attachment
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, WRITING, tasks
from holdfast.tasks.view.results import attachment_out, receipt, timestamp_or_none, workspace_ref

MAX_ATTACHMENT_BYTES = 512 * 1024
"""The largest attachment: in Base64 it stays below the request limit of 1 MiB (`LIMITS.request_bytes`)."""
MAX_EMBEDDED_BYTES = 64 * 1024
"""Audio and binary files up to this size are embedded in results; larger ones are linked. A judgement:
clients show so much without delay."""
MAX_EMBEDDED_TEXT_BYTES = 30_000
"""Text up to this size is embedded, as it goes into a model's context: the budget of `view/budget.py`."""

_REGISTERED_MEDIA_TYPES = {
    "audio/x-wav": "audio/wav",
    "audio/mp3": "audio/mpeg",
    "application/x-javascript": "text/javascript",
}
"""IANA-registered media types, by the unregistered ones that `mimetypes` returns for some file names."""

_FOR_BOTH = ContentAnnotations(audience=("user", "assistant"), priority=0.7)
_FOR_AGENTS = ContentAnnotations(audience=("assistant",), priority=0.9)


class AttachFile(InSession):
    """A file to attach to a task."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    path: RepoPath | None = Field(default=None, description="A file of the repository to attach.")
    data: str | None = Field(
        default=None,
        max_length=MAX_ATTACHMENT_BYTES * 4 // 3 + 4,  # Base64 has four characters for three bytes
        description="Instead of a path: the file in Base64.",
    )
    name: ShortText | None = Field(default=None, description="Name; by default that of the file at `path`.")
    mime_type: Annotated[str | None, ExpectedFormat("a media type, such as image/png")] = Field(
        default=None,
        max_length=100,  # longer than any registered media type
        pattern=r"^[a-z]+/[A-Za-z0-9.+-]+$",
        description="Media type of the file; by default guessed from the name.",
    )
    if_version: IntegerOrNone = Field(
        default=None, ge=1, description="Attach only if the task still has this version."
    )


class Attached(Reported):
    """Receipt for an attachment."""

    task: TaskReceipt
    attachment: AttachmentOut
    sha256: str


class WhichAttachment(InSession):
    """The attachment to read."""

    task_id: TaskId = Field(description="The task, such as TP-12.")
    name: ShortText = Field(description="Name of the attachment.")


class AttachedFile(Reported):
    """An attachment with its content."""

    task_id: str
    attachment: AttachmentOut
    sha256: str
    attached_at: str | None = None
    text: UntrustedText | None = Field(default=None, description="Content, if it is short text.")
    data: str | None = Field(
        default=None, description="Content in Base64, if it is neither text nor too large."
    )

    _content: bytes = b""

    @property
    def file_content(self) -> bytes:
        """The whole content, which the command line writes to a pipe."""
        return self._content


@tasks.operation(
    "taskpilot_attach",
    title="📎 Attach a file",
    effect=Effect.WRITE,
    listed=False,
    idempotent=True,
    command="attach",
    positional=("task_id", "path"),
    example="holdfast tasks attach TP-1 docs/sketch.png",
    text=lambda result: f"Attached {one_line(result.attachment.name)} to {result.task.id}.",
    fill_in=resolve_typed_paths,
    annotations=WRITING,
    expects_version="if_version",
    result_version="task.version",
    addresses=(Address("POST", "workspaces/{workspace_path}/tasks/{task_id}/attachments", status=201),),
)
def attach(room: Tasks, arguments: AttachFile) -> Attached:
    """Attach a picture, a voice note or another small file to a task.

    An attachment with the same name is replaced. Give a file of the repository, or its content in Base64.
    """
    new = _new_file(room, arguments)
    with writing(room, arguments) as transaction:
        task = rows.find_task(transaction, arguments.task_id, for_update=True)
        if arguments.if_version not in (None, task.version):
            raise OutOfDate.found(task.id, arguments.if_version or 0, task.version)
        lease.check_may_write(transaction, task)
        changed = attach_file(transaction, task, new)
    stored = Attachment(new.name, new.mime, new.sha256, len(new.content))
    return Attached(
        operation="attach",
        workspace=workspace_ref(transaction.workspace),
        task=receipt(changed),
        attachment=attachment_out(changed.workspace, stored),
        sha256=stored.sha256,
    )


def _new_file(room: Tasks, arguments: AttachFile) -> NewFile:
    if (arguments.path is None) == (arguments.data is None):
        raise InvalidArguments("Give either `path` or `data`.", hint="`data` is the file in Base64.")
    content = _read_content(room, arguments)
    name = arguments.name or (arguments.path.name if arguments.path is not None else None)
    if name is None:
        raise InvalidArguments("`data` needs a `name`.", hint="Give a file name.")
    if any(character in name for character in "/\\") or name.startswith("."):
        raise InvalidArguments(
            f'"{name}" cannot be the name of an attachment.',
            hint="Give a file name without folders or a leading dot.",
        )
    return NewFile(name, arguments.mime_type or _guess_media_type(name), content)


def _guess_media_type(name: str) -> str:
    guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return _REGISTERED_MEDIA_TYPES.get(guessed, guessed)


def _read_content(room: Tasks, arguments: AttachFile) -> bytes:
    if arguments.path is not None:
        return Tree(room.repository).read_bytes(arguments.path, MAX_ATTACHMENT_BYTES)
    try:
        content = base64.b64decode(arguments.data or "", validate=True)
    except ValueError:
        raise InvalidArguments("`data` is not Base64.", hint="Encode the file's bytes.") from None
    if len(content) > MAX_ATTACHMENT_BYTES:
        raise InvalidArguments(
            f"The file has {len(content)} bytes, more than {MAX_ATTACHMENT_BYTES}.",
            hint="Attach a smaller one.",
        )
    return content


def _text(result: AttachedFile) -> str:
    shown = result.attachment
    return f"{one_line(shown.name)} ({one_line(shown.mime)}, {shown.size} bytes) of {result.task_id}."


def _terminal_text(result: AttachedFile) -> str:
    name = quote(one_line(result.attachment.name))
    return f"{_text(result)}\nTo save it: holdfast tasks attachment {result.task_id} {name} > {name}"


def _content(result: AttachedFile) -> list[Content]:
    shown = result.attachment
    mime = visible(shown.mime)
    text, name = Text(_text(result)), one_line(shown.name)
    if result.text is not None:
        annotations = replace(_FOR_BOTH, last_modified=result.attached_at)
        content = Embedded(shown.uri, mime, visible(result.text), title=name, annotations=annotations)
        return [text, content]
    if result.data is not None and mime.startswith("image/"):
        return [text, Image(result.file_content, mime, _FOR_BOTH)]
    if result.data is not None and mime.startswith("audio/"):
        return [text, Audio(result.file_content, mime, _FOR_BOTH)]
    return [text, Link(shown.uri, name, mime, "Read it as a resource.", _FOR_AGENTS)]


@tasks.operation(
    "taskpilot_attachment",
    title="📎 Look at an attachment",
    effect=Effect.READ,
    command="attachment",
    positional=("task_id", "name"),
    example="holdfast tasks attachment TP-1 sketch.png --json",
    text=_text,
    command_text=_terminal_text,
    content=_content,
    annotations=READING,
    structured=False,
    addresses=(Address("GET", "workspaces/{workspace_path}/tasks/{task_id}/attachments/{name}"),),
    listed=False,
)
def attachment(room: Tasks, arguments: WhichAttachment) -> AttachedFile:
    """Show an attachment of a task: the picture, audio or text, or a link if it is larger."""
    with reading(room, arguments) as transaction:
        task = rows.find_task(transaction, arguments.task_id)
        by_name = {item.name: item for item in items.attachments_of(transaction, task.uid)}
        stored = by_name.get(arguments.name)
        if stored is None:
            raise NotFound(
                f'{task.id} has no attachment "{visible(arguments.name)}".',
                hint=f"Its attachments: {one_line(', '.join(by_name) or 'none')}.",
            )
        content = read_content(transaction, stored.sha256)
        at = attached_at(transaction, task, stored)
    text, data = _as_text_or_base64(stored, content)
    result = AttachedFile(
        operation="attachment",
        workspace=workspace_ref(transaction.workspace),
        task_id=task.id,
        attachment=attachment_out(task.workspace, stored),
        sha256=stored.sha256,
        attached_at=timestamp_or_none(at),
        text=text,
        data=data,
    )
    result._content = content
    return result


def _as_text_or_base64(attachment: Attachment, content: bytes) -> tuple[str | None, str | None]:
    """Return the content as text or as Base64, and None for the other; both are None for a large file."""
    if attachment.mime.startswith("image/"):
        return None, base64.b64encode(content).decode()
    as_text = is_text(attachment.mime)
    if len(content) > (MAX_EMBEDDED_TEXT_BYTES if as_text else MAX_EMBEDDED_BYTES):
        return None, None
    try:
        return (content.decode(), None) if as_text else (None, base64.b64encode(content).decode())
    except UnicodeDecodeError:
        return None, base64.b64encode(content).decode()
