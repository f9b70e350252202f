"""Plans the changes to a client's files, then applies all of them or none.

Contract:
- Planning only reads. If one file is damaged or cannot take its entry, no file is changed.
- Removal restores the exact earlier bytes if adding the entries to them yields the current content, that is,
  if the file has not been edited since. Otherwise only the entries are removed.
- A customised entry is left alone, unless it has to be replaced or removed.
- If a file cannot be written, the files already written are restored.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from holdfast.installation.client import Client, Contributions, InstallationContext, Part
from holdfast.installation.formats.entry import (
    ConfigurationEntry,
    DamagedText,
    EditRefused,
    EntryState,
    lines_of,
)
from holdfast.kernel.errors import Conflict, Corrupted, HoldfastError
from holdfast.storage.files.configuration_file import BACKUP_SUFFIX, Backup, ConfigurationFile

_BYTE_ORDER_MARK = "\ufeff"
_FIX_IT = "Fix it by hand and try again; nothing was changed."


@dataclass(frozen=True)
class FileChange:
    """The change to one file. `before` and `after` are None where the file does not exist."""

    file: ConfigurationFile
    before: bytes | None
    after: bytes | None
    backup: Backup = Backup.LEAVE
    keeps_customised: bool = False
    """Whether an entry that the user has edited is left alone."""
    is_shared: bool = False
    """Whether it is left alone because another client uses it."""

    @property
    def is_empty(self) -> bool:
        return self.before == self.after

    @property
    def action(self) -> str:
        """One word for the change, for output."""
        if self.is_shared:
            return "shared"
        if self.is_empty:
            return "kept" if self.keeps_customised else "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    @property
    def backup_label(self) -> str | None:
        """The label of the backup, if this change writes one."""
        is_saved = self.backup is Backup.WRITE and self.before is not None and not self.is_empty
        return self.file.label + BACKUP_SUFFIX if is_saved else None

    def undo(self) -> None:
        inverse = {Backup.WRITE: Backup.REMOVE, Backup.REMOVE: Backup.WRITE, Backup.LEAVE: Backup.LEAVE}
        self.file.replace(self.after, self.before, backup=inverse[self.backup])


def plan_installation(
    client: Client, context: InstallationContext, contributions: Contributions, *, replace: bool = False
) -> list[FileChange]:
    """Return the changes that add a client's entries."""
    files = _by_file(client, context, contributions)
    return [
        _plan_file_installation(client, file, entries, replace=replace) for file, entries in files.items()
    ]


def plan_removal(
    client: Client, context: InstallationContext, contributions: Contributions, others: Iterable[Client] = ()
) -> list[FileChange]:
    """Return the changes that remove a client's entries, except those that other clients use too."""
    context = _as_installed(client, context, contributions)
    files = _by_file(client, context, contributions)
    used = {
        file.path
        for other in others
        if other is not client
        for file in _files_in_use(other, context, contributions)
    }
    return [
        FileChange(file, before, before, is_shared=True)
        if file.path in used and (before := file.read()) is not None
        else _plan_file_removal(client, file, entries)
        for file, entries in files.items()
    ]


def _as_installed(
    client: Client, context: InstallationContext, contributions: Contributions
) -> InstallationContext:
    """Return a context with the entries of an installation whose hooks refuse edits, if it is one."""
    refusing = dataclasses.replace(context, refuses_edits=True)
    usual = {entry.entry.snippet for entry in client.entries(context, contributions)}
    special = [entry for entry in client.entries(refusing, contributions) if entry.entry.snippet not in usual]
    with suppress(EditRefused, HoldfastError):
        if any(each.entry.state(_decode(each.file.read())) is EntryState.PRESENT for each in special):
            return refusing
    return context


def _files_in_use(
    client: Client, context: InstallationContext, contributions: Contributions
) -> list[ConfigurationFile]:
    """Return the files of a client that is configured, other than that with its server."""
    if context.scope not in client.scopes:
        return []
    entries = client.entries(dataclasses.replace(context, parts=frozenset(Part)), contributions)
    try:
        is_configured = any(
            entry.entry.state(_decode(entry.file.read())) is not EntryState.ABSENT
            for entry in entries
            if entry.part is Part.SERVER
        )
    except (EditRefused, HoldfastError):  # another server has the name, or the file cannot be read
        return []
    return [entry.file for entry in entries if entry.part is not Part.SERVER] if is_configured else []


def apply_changes(changes: list[FileChange]) -> None:
    """Make the changes; if one fails, undo them all."""
    done: list[FileChange] = []
    try:
        for change in changes:
            if not change.is_empty:
                done.append(change)  # before the write, which may fail after replacing the file
                change.file.replace(change.before, change.after, backup=change.backup)
    except HoldfastError:
        for change in reversed(done):
            with suppress(HoldfastError):
                change.undo()
        raise
    for change in done:
        if change.after is None:
            change.file.remove_empty_directories()


def snippets(
    client: Client, context: InstallationContext, contributions: Contributions
) -> list[tuple[ConfigurationFile, str]]:
    """Return each file of a client with the text to paste into it, in the order of the client's entries."""
    files = _by_file(client, context, contributions)
    return [(file, _add_missing(entries, "")) for file, entries in files.items()]


def _by_file(
    client: Client, context: InstallationContext, contributions: Contributions
) -> dict[ConfigurationFile, list[ConfigurationEntry]]:
    files: dict[ConfigurationFile, list[ConfigurationEntry]] = {}
    for item in client.entries(context, contributions):
        files.setdefault(item.file, []).append(item.entry)
    return files


def _plan_file_installation(
    client: Client, file: ConfigurationFile, entries: list[ConfigurationEntry], *, replace: bool
) -> FileChange:
    before = file.read()
    backup = file.read_backup()
    original = _original(entries, backup)
    with _translate_refusals(client, file):
        text = _decode(before)
        states = [entry.state(text) for entry in entries]
        after = text
        if replace:
            after = _remove(entries, after, _decode(original), _is_customised)
        after = _add_missing(entries, after)
    is_new = all(state is EntryState.ABSENT for state in states)
    return FileChange(
        file,
        before,
        before if after == text else _encode(after, before),
        backup=Backup.WRITE if is_new or backup is None else Backup.LEAVE,
        keeps_customised=EntryState.CHANGED in states and not replace,
    )


def _plan_file_removal(
    client: Client, file: ConfigurationFile, entries: list[ConfigurationEntry]
) -> FileChange:
    before = file.read()
    original = _original(entries, file.read_backup())
    with _translate_refusals(client, file):
        text = _decode(before)
        states = [entry.state(text) for entry in entries]
        if all(state is EntryState.ABSENT for state in states):
            return FileChange(file, before, before)
        if _results_in(entries, original, before):
            return FileChange(file, before, original, backup=Backup.REMOVE)
        after = _remove(entries, text, _decode(original), _is_removable)
    keeps_customised = any(
        state is EntryState.CHANGED and entry.stays_if_customised
        for entry, state in zip(entries, states, strict=True)
    )
    if after == text:
        return FileChange(file, before, before, keeps_customised=keeps_customised)
    is_deleted = not after and original is None
    new_content = None if is_deleted else _encode(after, before)
    return FileChange(file, before, new_content, keeps_customised=keeps_customised)


def _add_missing(entries: list[ConfigurationEntry], text: str) -> str:
    for entry in entries:
        if entry.state(text) is EntryState.ABSENT:
            text = entry.add(text)
    return text


def _remove(
    entries: list[ConfigurationEntry],
    text: str,
    original: str,
    is_unwanted: Callable[[ConfigurationEntry, EntryState], bool],
) -> str:
    for entry in entries:
        if is_unwanted(entry, entry.state(text)):
            text = entry.remove(text, original)
    return text


def _is_customised(_entry: ConfigurationEntry, state: EntryState) -> bool:
    return state is EntryState.CHANGED


def _is_removable(entry: ConfigurationEntry, state: EntryState) -> bool:
    return state is EntryState.PRESENT or (state is EntryState.CHANGED and not entry.stays_if_customised)


def _results_in(entries: list[ConfigurationEntry], original: bytes | None, current: bytes | None) -> bool:
    """Return whether adding the entries to the original yields the current content."""
    try:
        return _encode(_add_missing(entries, _decode(original)), original) == current
    except EditRefused:
        return False


def _original(entries: list[ConfigurationEntry], backup: bytes | None) -> bytes | None:
    """Return a file's backup if it is readable and has none of the entries, or None otherwise."""
    try:
        text = _decode(backup)
        is_clean = all(entry.state(text) is EntryState.ABSENT for entry in entries)
    except EditRefused:
        return None
    return backup if is_clean else None


def _decode(data: bytes | None) -> str:
    try:
        return (data or b"").decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise DamagedText(line, "it is not UTF-8 text") from None


def _encode(text: str, before: bytes | None) -> bytes:
    """Return a text as bytes, with a byte order mark if the file had one before."""
    mark = _BYTE_ORDER_MARK.encode()
    has_mark = (before or b"").startswith(mark)
    return mark + text.encode() if has_mark else text.encode()


@contextmanager
def _translate_refusals(client: Client, file: ConfigurationFile) -> Iterator[None]:
    """Raise a refused edit as an error that names the file and the line."""
    try:
        yield
    except EditRefused as refused:
        message = f"'{file.label}', line {refused.line}: {refused.problem}."
        place = {"path": file.label, "line": refused.line}
        if isinstance(refused, DamagedText):
            raise Corrupted(message, hint=_FIX_IT, **place) from None
        hint = f"Nothing was changed; `holdfast install {client.name} --print` shows the entry."
        raise Conflict(message, hint=hint, **place) from None


def unified_diff(change: FileChange) -> str:
    """Return a change as a unified diff."""
    label = change.file.label
    old_name = "/dev/null" if change.before is None else label
    new_name = "/dev/null" if change.after is None else label
    diff = difflib.unified_diff(_lines(change.before), _lines(change.after), old_name, new_name)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff
    )


def _lines(data: bytes | None) -> list[str]:
    return lines_of((data or b"").decode("utf-8", "replace"))
