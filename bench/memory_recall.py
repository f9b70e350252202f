"""How long `recall` takes among many memories, in a process that has answered before.

python -m bench.memory_recall [--rounds 200] [--check] [--save]

Memories are about single lines of files, 20 or 50 in each; their words follow Zipf's law. Each question is
new, so most of the memories in its answer have not been read before: their verdicts are computed.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from bench._results import Results, arguments
from holdfast.comments.memory.record import MEMORY_KEY
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.store import Comments
from holdfast.comments.tools.recall import Recall, recall
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.new_repository import new_repository

WORDS = 20_000
"""Different words in all texts: about as many as a large project's comments have."""
TEXT_WORDS = 16
SIZES = {10_000: (500, 20.0), 100_000: (2000, 60.0)}
"""By number of memories: in how many files, and the bar in milliseconds."""


def main() -> None:
    options = arguments(__doc__, rounds=200)
    results = Results("bench.memory_recall", "Words by Zipf's law, seeded")
    rows = [row for size in SIZES for row in measured(options, results, size)]
    columns = ["memories", "question", "median ms", "95 % within ms"]
    results.table("recall", columns, rows)
    sys.exit(results.finish(options))


def measured(options: Namespace, results: Results, size: int) -> list[list[str | float]]:
    """Fill a repository, and return a row for each kind of question."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        root = Path(folder, "repository")
        root.mkdir()
        words = Words()
        room = Comments.open(new_repository(str(root)))
        fill(room, root, words, size)
        recall(room, Recall(words="warm up"))
        kinds: dict[str, Callable[[], Recall]] = {
            "words": lambda: Recall(words=words.text(3)),
            "one frequent word": lambda: Recall(words=words.vocabulary[0]),
            "a file": lambda: Recall(path=f"file{words.random.randrange(SIZES[size][0])}.py"),
            "none": Recall,
        }
        rows: list[list[str | float]] = []
        for kind, question in kinds.items():
            times = [timed(room, question()) for _ in range(options.rounds)]
            rows.append([f"{size:,}", kind, median(times), quantiles(times, n=20)[-1]])
            if kind == "words":
                results.bar(f"recall by words among {size:,} memories: ms", median(times), SIZES[size][1])
        room.close()
    return rows


def timed(room: Comments, question: Recall) -> float:
    began = perf_counter()
    recall(room, question)
    return 1000 * (perf_counter() - began)


class Words:
    """Words that occur as often as in natural text."""

    def __init__(self) -> None:
        self.random = random.Random(7)
        letters = "bcdfghklmnprstvz"
        self.vocabulary = list(
            dict.fromkeys(
                "".join(self.random.choice(letters) + self.random.choice("aeiou") for _ in range(4))
                for _ in range(WORDS)
            )
        )
        self.weights = [1 / rank for rank in range(1, len(self.vocabulary) + 1)]

    def text(self, count: int) -> str:
        """Return a text of so many words."""
        return " ".join(self.random.choices(self.vocabulary, self.weights, k=count))


def fill(room: Comments, root: Path, words: Words, size: int) -> None:
    """Write files with memories on their lines."""
    files, _ = SIZES[size]
    for number in range(files):
        path = RepoPath.parse(f"file{number}.py")
        source = "".join(f"value_{number}_{line} = {line}\n" for line in range(60)).encode()
        (root / path.text).write_bytes(source)
        with room.locks.holding(path.text):
            change = room.begin(path, source)
            count = size // files
            first = room.numbers(2 * count)
            for position in range(count):
                extra = {MEMORY_KEY: {"scope": "lines"}}
                draft = CommentDraft(position + 1, words.text(TEXT_WORDS), "bench", "NOTE", extra=extra)
                change.add(draft, first + 2 * position)
            room.finish(change)


if __name__ == "__main__":
    main()
