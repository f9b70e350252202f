"""Searching 100,000 comments in 2,000 files: Holdfast, once indexed, beside `grep -r` over the sidecars.

Both look for the same text in the same files. grep writes what it finds into a pipe that is read to its end;
the files are in the system's cache. Ours is a call inside a running server: the check whether any sidecar
changed, the search, the look at the sources of the comments found, and the answer as the tool gives it, its
words included. No answer is kept for the next time. Rounds alternate; the median counts.

    python -m bench.search [--rounds 15] [--check]
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench._comparison import Comparison, arguments, report
from holdfast.comments.search.models import SearchComments
from holdfast.comments.search.operations import search_comments
from holdfast.comments.search.text import found
from holdfast.comments.store import Comments
from holdfast.storage.repository import Repository

FILES, EACH = 2000, 50
BAR = 0.1
QUERIES = (
    ("a word in 0.7 % of the comments", "rate limit", BAR),
    ("two words, either of them", "security|vulnerab", BAR),
    ("an expression", r"race condition \w+", BAR),
    ("a text that is nowhere", "no such text", BAR),
    ("a word in 16 % of the comments", "the", BAR),
    ("an expression that 16 % match", r"\bcache\b", BAR),
    ("the same, across words", r"cache\s+\w+", None),
)
WORDS = """
the of to and in is that for it as with be on by this are or not we from at should must when if code value
function call return error check before after cache lock file path user
"""
COMMON = tuple(WORDS.split())
PHRASES = ("rate limit", "rate limiting", "security", "vulnerability", "timing attack", "race condition")
TAGS = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")


def make_workspace(root: Path) -> None:
    """Write sources and sidecars, the same every time."""
    chance = random.Random(4)
    syllables = [first + second for first in "bcdfghklmnprstvw" for second in "aeiou"]
    rare = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(3000)]
    for number in range(FILES):
        folder = root / "src" / f"package{number % 40}" / f"part{number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"file{number}.txt"
        path.write_text("".join(f"value {line}\n" for line in range(1, 2 * EACH + 1)))
        comments = [_comment(chance, rare, number * EACH + each, 2 * each + 1) for each in range(EACH)]
        markers = [_marker(one) for one in comments]
        value = {"file": path.name, "version": "2.1.0", "ghostMarkers": markers, "comments": comments}
        Path(f"{path}.comments").write_text(json.dumps(value, indent=2))


def _comment(chance: random.Random, rare: list[str], number: int, line: int) -> dict[str, Any]:
    words = [chance.choice(COMMON if chance.random() < 0.45 else rare) for _ in range(chance.randint(8, 22))]
    if chance.random() < 0.025:
        words.insert(chance.randrange(len(words)), chance.choice(PHRASES))
    tag = chance.choice(TAGS)
    return {
        "id": f"c_{1730000000000 + number}",
        "line": line,
        "text": f"{tag}: {' '.join(words)}",
        "author": chance.choice(("ada", "claude", "user")),
        "created": "2025-10-19T09:57:09.438Z",
        "updated": "2025-10-19T09:57:09.438Z",
        "tag": tag,
        "ghostMarkerId": f"gm_{1730000000000 + number}",
    }


def _marker(comment: dict[str, Any]) -> dict[str, Any]:
    import hashlib

    text = f"value {comment['line']}"
    return {
        "id": comment["ghostMarkerId"],
        "line": comment["line"],
        "commentIds": [comment["id"]],
        "astAnchor": None,
        "lineHash": hashlib.sha256(text.encode()).hexdigest()[:16],
        "lineText": text,
        "prevLineText": f"value {comment['line'] - 1}" if comment["line"] > 1 else "",
        "nextLineText": f"value {comment['line'] + 1}",
        "lastVerified": "2025-10-19T09:57:09.440Z",
    }


def grep(root: Path, query: str) -> float:
    """Return the seconds of a search with grep."""
    started = time.perf_counter()
    command = ["grep", "-riE", "--include=*.comments", query, "."]
    subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=False)
    return time.perf_counter() - started


def ours(room: Comments, query: str) -> float:
    """Return the seconds of the same search in a running server."""
    started = time.perf_counter()
    found(search_comments(room, SearchComments(query=query)))
    return time.perf_counter() - started


def main() -> int:
    options = arguments(__doc__, rounds=15)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_workspace(root)
        room = Comments(Repository.at(root))
        started = time.perf_counter()
        ours(room, "anything")
        print(f"Indexing took {time.perf_counter() - started:.1f} s, once.")
        ours(room, "anything")
        comparisons = [Comparison(label, bar, "us") for label, _, bar in QUERIES]
        for _ in range(options.rounds):
            for comparison, (_, query, _) in zip(comparisons, QUERIES, strict=True):
                comparison.baseline.append(grep(root, query))
                comparison.ours.append(ours(room, query))
        room.close()
    corpus = f"{FILES * EACH:,} comments in {FILES:,} files"
    held = report(corpus, ("grep -r", "holdfast"), comparisons)
    return 0 if held or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
