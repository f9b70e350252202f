"""Plans the changes to a client's files, then carries all of them out.

Contract:
- Planning only reads. If one file is damaged or cannot take its entry, no file is changed.
- Removal restores the exact earlier bytes if adding the entries to them yields the current content, that is,
  if nobody edited the file since. Otherwise only the entries are removed.
- An entry that somebody customised is left alone, unless it is to be replaced or removed.
- If one file cannot be written, those already written are restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from holdfast.installation.client import Client, Contributions, Situation
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
    """The change to one file. None means that there is no file."""

    file: ConfigurationFile
    before: bytes | None
    after: bytes | None
    backup: Backup = Backup.LEAVE
    kept: bool = False
    """Whether a customised entry stays."""

    @property
    def is_nothing(self) -> bool:
        """Whether the file does not change."""
        return self.before == self.after

    @property
    def action(self) -> str:
        """Return the change in one word."""
        if self.is_nothing:
            return "kept" if self.kept else "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    @property
    def backup_label(self) -> str | None:
        """Return the label of the backup, if this change writes one."""
        is_saved = self.backup is Backup.WRITE and self.before is not None and not self.is_nothing
        return self.file.label + BACKUP_SUFFIX if is_saved else None

    def undo(self) -> None:
        """Restore the earlier content and backup."""
        backup = {Backup.WRITE: Backup.REMOVE, Backup.REMOVE: Backup.WRITE}.get(self.backup, self.backup)
        self.file.replace(self.after, self.before, backup=backup)


def planned_installation(
    client: Client, situation: Situation, contributions: Contributions, *, replace: bool = False
) -> list[FileChange]:
    """Return the changes that add a client's entries."""
    files = _by_file(client, situation, contributions)
    return [_installed(client, file, entries, replace=replace) for file, entries in files.items()]


def planned_removal(client: Client, situation: Situation, contributions: Contributions) -> list[FileChange]:
    """Return the changes that remove a client's entries."""
    files = _by_file(client, situation, contributions)
    return [_removed(client, file, entries) for file, entries in files.items()]


def carry_out(changes: list[FileChange]) -> None:
    """Make the changes, or undo them all if one fails."""
    done: list[FileChange] = []
    try:
        for change in changes:
            if not change.is_nothing:
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
    client: Client, situation: Situation, contributions: Contributions
) -> list[tuple[ConfigurationFile, str]]:
    """Return each file of a client with the text to paste into it."""
    files = _by_file(client, situation, contributions)
    return [(file, "".join(entry.snippet for entry in entries)) for file, entries in files.items()]


def _by_file(
    client: Client, situation: Situation, contributions: Contributions
) -> dict[ConfigurationFile, list[ConfigurationEntry]]:
    files: dict[ConfigurationFile, list[ConfigurationEntry]] = {}
    for wanted in client.wanted(situation, contributions):
        files.setdefault(wanted.file, []).append(wanted.entry)
    return files


def _installed(
    client: Client, file: ConfigurationFile, entries: list[ConfigurationEntry], *, replace: bool
) -> FileChange:
    before = file.read()
    earlier = file.read_backup()
    original = _clean(entries, earlier)
    with _failures_named(client, file):
        text = _text(before)
        states = [entry.state(text) for entry in entries]
        cleared = _without(
            entries, text, _text(original), lambda _, state: replace and state is EntryState.CHANGED
        )
        after = _with(entries, cleared)
    is_new = all(state is EntryState.ABSENT for state in states)
    return FileChange(
        file,
        before,
        before if after == text else _data(after, before),
        backup=Backup.WRITE if is_new or earlier is None else Backup.LEAVE,
        kept=EntryState.CHANGED in states and not replace,
    )


def _removed(client: Client, file: ConfigurationFile, entries: list[ConfigurationEntry]) -> FileChange:
    before = file.read()
    original = _clean(entries, file.read_backup())
    with _failures_named(client, file):
        text = _text(before)
        states = [entry.state(text) for entry in entries]
        if all(state is EntryState.ABSENT for state in states):
            return FileChange(file, before, before)
        if _yields(entries, original, before):
            return FileChange(file, before, original, backup=Backup.REMOVE)
        after = _without(entries, text, _text(original), _is_removable)
    stays = (entry.stays_if_customised for entry in entries)
    kept = any(state is EntryState.CHANGED and stay for state, stay in zip(states, stays, strict=True))
    if after == text:
        return FileChange(file, before, before, kept=kept)
    return FileChange(
        file, before, _data(after, before) if after or original is not None else None, kept=kept
    )


def _with(entries: list[ConfigurationEntry], text: str) -> str:
    for entry in entries:
        if entry.state(text) is EntryState.ABSENT:
            text = entry.added(text)
    return text


def _without(
    entries: list[ConfigurationEntry],
    text: str,
    original: str,
    is_unwanted: Callable[[ConfigurationEntry, EntryState], bool],
) -> str:
    for entry in entries:
        if is_unwanted(entry, entry.state(text)):
            text = entry.removed(text, original)
    return text


def _is_removable(entry: ConfigurationEntry, state: EntryState) -> bool:
    return state is EntryState.PRESENT or (state is EntryState.CHANGED and not entry.stays_if_customised)


def _yields(entries: list[ConfigurationEntry], original: bytes | None, present: bytes | None) -> bool:
    """Return whether adding the entries to the original gives the current content."""
    try:
        return _data(_with(entries, _text(original)), original) == present
    except EditRefused:
        return False


def _clean(entries: list[ConfigurationEntry], original: bytes | None) -> bytes | None:
    """Return a file's backup if it is readable and has none of the entries."""
    try:
        text = _text(original)
        is_clean = all(entry.state(text) is EntryState.ABSENT for entry in entries)
    except EditRefused:
        return None
    return original if is_clean else None


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise DamagedText(line, "it is not UTF-8 text") from None


def _data(text: str, before: bytes | None) -> bytes:
    mark = _BYTE_ORDER_MARK.encode()
    return (mark if (before or b"").startswith(mark) else b"") + text.encode()


@contextmanager
def _failures_named(client: Client, file: ConfigurationFile) -> Iterator[None]:
    try:
        yield
    except EditRefused as refused:
        message = f"'{file.label}', line {refused.line}: {refused.problem}."
        place = {"path": file.label, "line": refused.line}
        if isinstance(refused, DamagedText):
            raise Corrupted(message, hint=_FIX_IT, **place) from None
        shown = f"Nothing was changed; `holdfast install {client.name} --print` shows the entry."
        raise Conflict(message, hint=shown, **place) from None


def difference(change: FileChange) -> str:
    """Return a change as a unified diff."""
    import difflib

    before, after = _lines(change.before), _lines(change.after)
    label = change.file.label
    names = ("/dev/null" if change.before is None else label, "/dev/null" if change.after is None else label)
    lines = difflib.unified_diff(before, after, *names)
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(ended)


def _lines(data: bytes | None) -> list[str]:
    return lines_of((data or b"").decode("utf-8", "replace"))
