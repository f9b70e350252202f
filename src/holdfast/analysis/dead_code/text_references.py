"""Names of definitions in files that are not analysed as code: templates, settings, documents.

A template with `{{ user.full_name }}` keeps a method `full_name` from being reported at the default level, as
does the full name of a class in `META-INF/services`. All such files are searched, since a finding of high
confidence says that no other file contains the name.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from holdfast.analysis.engine.source_text import may_be_source
from holdfast.kernel.call import current_call

ReadBytes = Callable[[str], bytes | None]
"""Returns the content of a file, or None if it cannot be read or is too large."""

MAX_SEARCHED_BYTES = 64 * 2**20
"""The largest file that is searched: a judgement. Searching it takes about a second."""
_FILES_PER_PROGRESS_REPORT = 200
"""Files searched between two progress reports: a judgement, as 200 take a fraction of a second."""
_CHUNK_BYTES = 2**20
"""How much of a file is split into words at a time, which bounds the memory."""

_REFERRING_FILES = re.compile(
    r"\.(html?|xhtml|jinja2?|j2|tmpl|tpl|mustache|hbs|ejs|erb|haml|slim|vue|svelte|astro|mdx?|rst|txt|adoc"
    r"|xml|xaml|fxml|storyboard|xib|ya?ml|toml|json|jsonc|json5|cfg|ini|conf|env|properties|gradle|cmake|mk|in"
    r"|graphql|proto|sql|service|tf|nix|bzl)$|(^|/)(Procfile|Makefile|Dockerfile|Jenkinsfile|justfile|BUILD)$"
    r"|(^|/)META-INF/"
)
_PROSE_FILES = re.compile(r"\.(md|rst|txt|adoc)$")
_UNRELATED_FILES = re.compile(
    r"(^|/)(package-lock\.json|[^/]*lock\.(ya?ml|json|toml)|[^/]*\.lock)$|(^|/)locale/|[.-]min\.\w+$"
)
"""Files whose words are hardly ever names of this project's code."""
_BINARY_FILES = re.compile(
    r"\.(png|jpe?g|gif|ico|icns|webp|avif|bmp|tiff?|woff2?|ttf|otf|eot|zip|gz|tgz|bz2|xz|zst|7z|jar|war|class|so"
    r"|dll|exe|pdf|mp[34]|webm|mov|wav|ogg|wasm|pyc|db|sqlite3?|npz|npy|parquet|pack|bin)$",
    re.IGNORECASE,
)
_LOOKS_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|\d")
"""Words in prose that may be names; other words are ordinary words, which may equal a name by chance."""
_MAX_KEPT_BYTES = 4 * 2**20
"""The most bytes of words that are kept: a judgement. Django's other files have 1.5 MB of different words."""
_ANY_BYTES = "latin-1"
"""An encoding that turns any bytes into a text and back."""
_SEPARATORS = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_") else 0x20 for byte in range(256)
)


@dataclass
class TextReferences:
    """The files that contain names of definitions, each name with the first such file."""

    referring: dict[str, str] = field(default_factory=dict)
    """Names in files that refer to code."""
    mentioned: dict[str, str] = field(default_factory=dict)
    """Names in files that may contain the same word by chance."""
    searched: int = 0
    unsearched: int = 0
    """Files that could not be read or are too large."""


class TextSearch:
    """Searches the same files for more and more names; each name is searched for once.

    The words of the files are kept, so that a new name which no file contains is not searched for at all.
    """

    def __init__(self, paths: Iterable[str], read: ReadBytes, known: Mapping[str, Any] | None = None) -> None:
        """`known` is what `known` returned of an earlier search of the same files."""
        self._files = sorted(path for path in paths if not _BINARY_FILES.search(path))
        self._read = read
        self._names: set[str] = set()
        self._words: bytes | None = known["words"].encode(_ANY_BYTES) if known else None
        """All words, with spaces between; None before the first search, or if they are too many to keep."""
        self._is_searched = known is not None
        self._found = TextReferences(**known["found"]) if known else TextReferences()
        self._lock = threading.Lock()
        self.has_more = False
        """Whether it found out more than was known."""

    @property
    def known(self) -> dict[str, Any] | None:
        """What a search of the same files should know to be as fast, as JSON; None if that is too much."""
        if self._words is None:
            return None
        return {"words": self._words.decode(_ANY_BYTES), "found": vars(self._found)}

    def find(self, names: Iterable[str]) -> TextReferences:
        """Return where the files contain names, perhaps with other names that were searched for before."""
        with self._lock:
            new = set(names) - self._names
            wanted = self._wanted(new)
            if wanted or not self._is_searched:
                found = self._search(wanted)
                self.has_more = True
                self._found = replace(
                    found,
                    referring=self._found.referring | found.referring,
                    mentioned=self._found.mentioned | found.mentioned,
                )
            self._names |= new
            return self._found

    def _wanted(self, names: Iterable[str]) -> dict[bytes, list[str]]:
        """Return the names by the word to search for, without words that no file contains."""
        wanted: dict[bytes, list[str]] = {}
        for name in names:
            wanted.setdefault(name.strip("$#").encode(), []).append(name)
        if not wanted or self._words is None:
            return wanted
        # A name that was searched for is in no file, or it was found.
        wanted = {word: wanted[word] for word in wanted.keys() & set(self._words.split())}
        found = self._found.referring.keys() | self._found.mentioned
        return {word: names for word, names in wanted.items() if not found.issuperset(names)}

    def _search(self, wanted: Mapping[bytes, Sequence[str]]) -> TextReferences:
        found, call = TextReferences(), current_call()
        kept, kept_bytes = set[bytes](), 0
        for number, path in enumerate(self._files):
            if number % _FILES_PER_PROGRESS_REPORT == 0:
                call.progress(number, len(self._files), "files searched for names")
            data = self._read(path)
            if data is None:
                found.unsearched += 1
                continue
            found.searched += 1
            words = _words(data)
            for name in (name for word in wanted.keys() & words for name in wanted[word]):
                refers = found.referring if _refers(path, name) else found.mentioned
                refers.setdefault(name, path)
            if not self._is_searched and kept_bytes <= _MAX_KEPT_BYTES:
                words -= kept
                kept |= words
                kept_bytes += sum(map(len, words))
        if not self._is_searched and kept_bytes <= _MAX_KEPT_BYTES:
            self._words = b" ".join(sorted(kept))
        self._is_searched = True
        return found


def _refers(path: str, name: str) -> bool:
    """Return whether a name in a file most likely is that of a definition."""
    if _UNRELATED_FILES.search(path):
        return False
    if may_be_source(path) or (_REFERRING_FILES.search(path) and not _PROSE_FILES.search(path)):
        return True
    return _LOOKS_LIKE_CODE.search(name) is not None


def _words(data: bytes) -> set[bytes]:
    words: set[bytes] = set()
    start = 0
    while start < len(data):
        end = start + _CHUNK_BYTES
        chunk = data[start:end].translate(_SEPARATORS)
        if end < len(data) and b" " in chunk:
            end = start + chunk.rindex(b" ")
            chunk = chunk[: end - start]
        words.update(chunk.split())
        start = max(end, start + 1)
    return words
