"""Searching 100,000 comments in 2,000 files: Holdfast, once indexed, beside `grep -r` over the sidecars.

Both look for the same text in the same files. grep writes what it finds into a pipe that is read to its end;
the files are in the system's cache. Ours is a call inside a running server: the check whether any sidecar
changed, the search, the look at the sources of the comments found, and the answer as the tool gives it, its
words included. No answer is kept for the next time. Rounds alternate; the median counts. grep has no filters;
it looks for the query alone. The memory is what the process has at most after building the index and asking
everything once, above what it had before the first question.

    python -m bench.search [--rounds 15] [--check] [--save]
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench._comparison import Comparison, amount, compare
from bench._results import Results, arguments
from holdfast.comments.store import Comments
from holdfast.comments.tools.search_comments import SearchComments, render_found, search_comments
from holdfast.storage.git.repository import Repository

FILES, EACH = 2000, 50
RARE = 0.25
"""The bar of queries that match at most one comment in a hundred."""
FREQUENT = 1.0
ALL = 3.0
"""The bar of the worst queries, which match all over nearly every comment."""
MEMORY_MB = 100
QUERIES = (
    ("a phrase in 0.9 % of the comments", "rate limit", {}, RARE),
    ("two words, either of them", "security|vulnerab", {}, RARE),
    ("two phrases, either of them", "rate limit|race condition", {}, RARE),
    ("a phrase and a word after it", r"race condition \w+", {}, RARE),
    ("a text that is nowhere", "no such text", {}, RARE),
    ("a word of another script, nowhere", "naïve", {}, RARE),
    ("two frequent words side by side", r"\bthe\s+cache\b", {}, RARE),
    ("two choices side by side", r"(lock|path)\s+(file|user)", {}, RARE),
    ("a word and another within 20 letters", "lock.{1,20}file", {}, RARE),
    ("the end of 1 % of the comments", "error$", {}, RARE),
    ("a word in 16 % of the comments", "the", {}, FREQUENT),
    ("a word between its edges, in 16 %", r"\bcache\b", {}, FREQUENT),
    ("two frequent words, either of them", "the|cache", {}, FREQUENT),
    ("a word and any word after it, in 15 %", r"cache\s+\w+", {}, FREQUENT),
    ("any word and a word after it, in 15 %", r"\w+\s+cache", {}, FREQUENT),
    ("a word, anything but letters, a word", r"cache\W+\w+", {}, FREQUENT),
    ("a word and another later in the line", "TODO.*cache", {}, FREQUENT),
    ("any letter inside a word, in 16 %", "ca.he", {}, FREQUENT),
    ("a word and the rest of its line, in 16 %", "cache.*", {}, FREQUENT),
    ("the beginning of 20 % of the comments", "^TODO", {}, FREQUENT),
    ("an end and a beginning of many words", "e t", {}, FREQUENT),
    ("two letters, in 23 %", "ba", {}, FREQUENT),
    ("a letter that 83 % have", "b", {}, FREQUENT),
    ("a word in 16 %, of one tag", "the", {"tag": "TODO"}, FREQUENT),
    ("a word in 16 %, of one author", "the", {"author": "ada"}, FREQUENT),
    ("a word in 16 %, below a pattern", "the", {"filePath": "src/**/part3/*.txt"}, FREQUENT),
    ("a word in 16 %, since a day", "the", {"dateRange": {"start": "2025-01-01T00:00:00Z"}}, FREQUENT),
    ("a letter that nearly all have", "e", {}, ALL),
    ("any letter", ".", {}, ALL),
    ("any word", r"\w+", {}, ALL),
)
BOMBS = (r"(a+)+$", r"(a|aa)+$", r"(a|a?)+$", r"(.*a){20}$")
"""Patterns that take a backtracking engine hours on a text such as `aaaa!`."""
BOMB_FILES = 20
BOMB_MS = 200
WORDS = """
the of to and in is that for it as with be on by this are or not we from at should must when if code value
function call return error check before after cache lock file path user
"""
ANYTHING: tuple[str, dict[str, Any]] = ("anything", {})
COMMON = tuple(WORDS.split())
PHRASES = ("rate limit", "rate limiting", "security", "vulnerability", "timing attack", "race condition")
TAGS = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")


def make_workspace(root: Path, files: int = FILES) -> None:
    """Write sources and sidecars, the same every time."""
    chance = random.Random(4)
    syllables = [first + second for first in "bcdfghklmnprstvw" for second in "aeiou"]
    rare = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(3000)]
    for number in range(files):
        folder = root / "src" / f"package{number % 40}" / f"part{number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"file{number}.txt"
        path.write_text("".join(f"value {line}\n" for line in range(1, 2 * EACH + 1)))
        comments = [comment(chance, rare, number * EACH + each, 2 * each + 1) for each in range(EACH)]
        markers = [marker(one) for one in comments]
        value = {"file": path.name, "version": "2.1.0", "ghostMarkers": markers, "comments": comments}
        Path(f"{path}.comments").write_text(json.dumps(value, indent=2))


def comment(chance: random.Random, rare: list[str], number: int, line: int) -> dict[str, Any]:
    """Return a comment of some words, as a sidecar has it."""
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


def marker(comment: dict[str, Any]) -> dict[str, Any]:
    """Return the marker that says where a comment is."""

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


def ours(room: Comments, query: str, filters: dict[str, Any]) -> float:
    """Return the seconds of the same search in a running server."""
    asked = SearchComments.model_validate({"query": query, "filters": filters})
    started = time.perf_counter()
    render_found(search_comments(room, asked))
    return time.perf_counter() - started


def slowest_bomb(rounds: int) -> float:
    """Return the median milliseconds of the slowest classic bomb over 1,000 comments that all invite it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_workspace(root, BOMB_FILES)
        for sidecar in root.rglob("*.comments"):
            value = json.loads(sidecar.read_text())
            for comment in value["comments"]:
                comment["text"] = "a" * 40 + "!"
            sidecar.write_text(json.dumps(value, indent=2))
        room = Comments(Repository.at(root))
        ours(room, *ANYTHING)
        slowest = max(median(ours(room, bomb, {}) for _ in range(rounds)) for bomb in BOMBS)
        room.close()
    return slowest * 1000


def grep_version() -> str:
    """Return grep's version."""
    return subprocess.run(["grep", "--version"], capture_output=True, text=True).stdout.split()[3]


def memory() -> float:
    """Return how many megabytes the process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def change(root: Path, number: int) -> None:
    """Write another text into one sidecar."""
    path = sorted(root.rglob("*.comments"))[number]
    value = json.loads(path.read_text())
    value["comments"][number]["text"] = f"anything else {number}"
    path.write_text(json.dumps(value, indent=2))


def main() -> int:
    options = arguments(__doc__, rounds=15)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_workspace(root)
        room = Comments(Repository.at(root))
        idle = memory()
        once = [("indexing everything", ours(room, *ANYTHING))]
        room.close()
        room = Comments(Repository.at(root))
        first, second = ours(room, *ANYTHING), ours(room, *ANYTHING)
        once += [("the first search of a process", first), ("the second", second)]
        changes = []
        for number in range(5):
            change(root, number)
            changes.append(ours(room, *ANYTHING))
        once.append(("a search after one sidecar changed", median(changes)))
        for _, query, filters, _ in QUERIES:
            ours(room, query, filters)
        above = memory() - idle
        comparisons = [Comparison(label, bar) for label, _, _, bar in QUERIES]
        for _ in range(options.rounds):
            for comparison, (_, query, filters, _) in zip(comparisons, QUERIES, strict=True):
                comparison.baseline.append(grep(root, query))
                comparison.ours.append(ours(room, query, filters))
        room.close()
    results = Results(
        "bench.search", f"{FILES * EACH:,} comments in {FILES:,} files", {"grep": grep_version()}
    )
    compare(results, "queries", ("grep -r", "holdfast"), comparisons)
    results.bar("megabytes of the searching process, above those before", above, MEMORY_MB)
    bomb = slowest_bomb(options.rounds)
    results.bar(
        f"milliseconds of the slowest of {len(BOMBS)} hostile patterns over 1,000 comments", bomb, BOMB_MS
    )
    rows = [*((what, amount(took)) for what, took in once), ("memory above that before", f"{above:.0f} MB")]
    results.table("once", ("what", "took"), rows)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
