"""From what a client wants to what happens to its files: all of it judged first, then all of it done.

Contract:
- Planning reads and changes nothing. One file that is damaged, or has no room for its entry, and nothing
  at all is changed.
- Taking out gives back the very bytes from before, if adding the entries to those bytes yields what is
  there now; so it is if nobody touched the file in between. Otherwise only the entries are taken out.
- An entry that somebody made their own is left alone, unless it is to be replaced or taken out.
- If one file cannot be written, those written before it are put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from holdfast.installation.client import Client, Contributions, Situation
from holdfast.installation.formats.part import (
    ConfigurationEntry,
    DamagedText,
    EditRefused,
    EntryState,
    lines_of,
)
from holdfast.kernel.errors import Conflict, Corrupted, HoldfastError
from holdfast.storage.files.configuration_file import BACKUP_SUFFIX, Backup, ConfigurationFile

_MARK = "\ufeff"
_MEND_IT = "Put it right by hand and try again; nothing was changed."


@dataclass(frozen=True)
class ConfigurationChange:
    """What happens to one file. None stands for no file."""

    file: ConfigurationFile
    before: bytes | None
    after: bytes | None
    backup: Backup = Backup.LEAVE
    kept: bool = False
    """Whether there is an entry that somebody made their own, which stays."""

    @property
    def is_nothing(self) -> bool:
        """Whether the file stays as it is."""
        return self.before == self.after

    @property
    def action(self) -> str:
        """Return what happens in a word."""
        if self.is_nothing:
            return "kept" if self.kept else "unchanged"
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    @property
    def backup_label(self) -> str | None:
        """Return where the earlier content is kept, if this change keeps it."""
        kept = self.backup is Backup.WRITE and self.before is not None and not self.is_nothing
        return self.file.label + BACKUP_SUFFIX if kept else None

    def undo(self) -> None:
        """Put back what was there, the earlier content beside it included."""
        backup = {Backup.WRITE: Backup.REMOVE, Backup.REMOVE: Backup.WRITE}.get(self.backup, self.backup)
        self.file.replace(self.after, self.before, backup=backup)


def planned_installation(
    client: Client, situation: Situation, contributions: Contributions, *, replace: bool = False
) -> list[ConfigurationChange]:
    """Return the changes that put a client's entries in."""
    files = _by_file(client, situation, contributions)
    return [_installed(client, file, parts, replace=replace) for file, parts in files.items()]


def planned_removal(
    client: Client, situation: Situation, contributions: Contributions
) -> list[ConfigurationChange]:
    """Return the changes that take a client's entries out."""
    files = _by_file(client, situation, contributions)
    return [_removed(client, file, parts) for file, parts in files.items()]


def carry_out(changes: list[ConfigurationChange]) -> None:
    """Make the changes."""
    done: list[ConfigurationChange] = []
    try:
        for change in changes:
            if not change.is_nothing:
                done.append(change)  # first, as a failed write may have got as far as the last step
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
    """Return each file of a client with what a person would paste into it."""
    files = _by_file(client, situation, contributions)
    return [(file, "".join(part.snippet for part in parts)) for file, parts in files.items()]


def _by_file(
    client: Client, situation: Situation, contributions: Contributions
) -> dict[ConfigurationFile, list[ConfigurationEntry]]:
    files: dict[ConfigurationFile, list[ConfigurationEntry]] = {}
    for wanted in client.wanted(situation, contributions):
        files.setdefault(wanted.file, []).append(wanted.part)
    return files


def _installed(
    client: Client, file: ConfigurationFile, parts: list[ConfigurationEntry], *, replace: bool
) -> ConfigurationChange:
    before = file.read()
    earlier = file.read_backup()
    original = _clean(parts, earlier)
    with _failures_named(client, file):
        text = _text(before)
        states = [part.state(text) for part in parts]
        cleared = _without(
            parts, text, _text(original), lambda _, state: replace and state is EntryState.CHANGED
        )
        after = _with(parts, cleared)
    is_new = all(state is EntryState.ABSENT for state in states)
    return ConfigurationChange(
        file,
        before,
        before if after == text else _data(after, before),
        backup=Backup.WRITE if is_new or earlier is None else Backup.LEAVE,
        kept=EntryState.CHANGED in states and not replace,
    )


def _removed(client: Client, file: ConfigurationFile, parts: list[ConfigurationEntry]) -> ConfigurationChange:
    before = file.read()
    original = _clean(parts, file.read_backup())
    with _failures_named(client, file):
        text = _text(before)
        states = [part.state(text) for part in parts]
        if all(state is EntryState.ABSENT for state in states):
            return ConfigurationChange(file, before, before)
        if _yields(parts, original, before):
            return ConfigurationChange(file, before, original, backup=Backup.REMOVE)
        after = _without(parts, text, _text(original), _is_ours_to_take)
    stays = (part.belongs_to_others_once_changed for part in parts)
    kept = any(state is EntryState.CHANGED and stay for state, stay in zip(states, stays, strict=True))
    if after == text:
        return ConfigurationChange(file, before, before, kept=kept)
    return ConfigurationChange(
        file, before, _data(after, before) if after or original is not None else None, kept=kept
    )


def _with(parts: list[ConfigurationEntry], text: str) -> str:
    for part in parts:
        if part.state(text) is EntryState.ABSENT:
            text = part.added(text)
    return text


def _without(
    parts: list[ConfigurationEntry],
    text: str,
    original: str,
    is_unwanted: Callable[[ConfigurationEntry, EntryState], bool],
) -> str:
    for part in parts:
        if is_unwanted(part, part.state(text)):
            text = part.removed(text, original)
    return text


def _is_ours_to_take(part: ConfigurationEntry, state: EntryState) -> bool:
    return state is EntryState.PRESENT or (
        state is EntryState.CHANGED and not part.belongs_to_others_once_changed
    )


def _yields(parts: list[ConfigurationEntry], original: bytes | None, present: bytes | None) -> bool:
    """Return whether putting the entries into the original gives what is there now."""
    try:
        return _data(_with(parts, _text(original)), original) == present
    except EditRefused:
        return False


def _clean(parts: list[ConfigurationEntry], original: bytes | None) -> bytes | None:
    """Return a file's earlier content if it can be read and holds none of the entries."""
    try:
        text = _text(original)
        is_clean = all(part.state(text) is EntryState.ABSENT for part in parts)
    except EditRefused:
        return None
    return original if is_clean else None


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode().removeprefix(_MARK)
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise DamagedText(line, "it is not text in UTF-8") from None


def _data(text: str, before: bytes | None) -> bytes:
    mark = _MARK.encode()
    return (mark if (before or b"").startswith(mark) else b"") + text.encode()


@contextmanager
def _failures_named(client: Client, file: ConfigurationFile) -> Iterator[None]:
    try:
        yield
    except EditRefused as refused:
        message = f"'{file.label}', line {refused.line}: {refused.problem}."
        place = {"path": file.label, "line": refused.line}
        if isinstance(refused, DamagedText):
            raise Corrupted(message, hint=_MEND_IT, **place) from None
        shown = f"Nothing was changed; `holdfast install {client.name} --print` shows what goes there."
        raise Conflict(message, hint=shown, **place) from None


def difference(change: ConfigurationChange) -> str:
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
