"""How often the right file is found for code that went to another one.

python -m bench.anchors.moved [DIR]...

Beside ours: the renames and copies that `git diff` finds between the two trees. "Read at once" is the
server: notes are written into the old tree, the new one is committed over it, and its files are read.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from bench._peers import folders
from bench._results import Results, absent, parser
from bench.anchors import labels
from bench.anchors.cases import Case
from bench.anchors.published import CORPUS
from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.sidecar.note import MOVED_REASON
from holdfast.comments.store import Comments
from holdfast.comments.tracking.moved_files import MovedFiles
from holdfast.comments.tracking.placement import Anchor, FileVersion
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository

GIT = {
    "git diff -M50": ("-M50%",),
    "git diff -M30 -C30 --find-copies-harder": ("-M30%", "-C30%", "--find-copies-harder"),
}
SERVED = "holdfast, read at once"


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("folder", type=Path, nargs="*", default=folders("HOLDFAST_ANCHORS"))
    arguments.add_argument("--misses", type=int, default=0, help="how many of our misses to show in each set")
    options = arguments.parse_args()
    total: Counter[str] = Counter()
    for path in sorted(path for folder in options.folder for path in folder.glob("moved-file.*.jsonl")):
        cases = list(labels.load(path))
        if cases:
            counted = measure(path, cases, options.misses)
            total += counted
            print(path.stem, dict(counted))
    count = total["labels"]
    if not count:
        return absent("a folder with sets of moved files (HOLDFAST_ANCHORS)")
    rows = []
    for name in (*GIT, "holdfast", "holdfast, clear", SERVED):
        found = [f"{100 * total[f'{name}: {what}'] / count:.1f}" for what in ("file", "other", "line")]
        rows.append((name, *found[:2], "" if name in GIT else found[2]))
    print(f"{1000 * total['microseconds'] / 1e6 / count:.1f} ms for each label")
    results = Results("bench.anchors.moved", CORPUS)
    results.table("files", (f"{count} lines, %", "right file", "wrong file", "right line"), rows)
    return results.finish(options)


def measure(path: Path, cases: list[Case], misses: int) -> Counter[str]:
    """Count the files and lines found for one set."""
    counted: Counter[str] = Counter()
    before, after = labels.load_workspaces(path)
    began = perf_counter()
    index = MovedFiles(after)
    counted["microseconds"] += int(1e6 * (perf_counter() - began))
    for case in cases:
        counted["labels"] += len(case.labels)
        counted += ours(case, index, misses)
    counted += served(cases, before, after)
    for name, options in GIT.items():
        targets = renames(before, after, options)
        for case in cases:
            target = targets.get(case.old.path)
            if target is not None:
                counted[f"{name}: {'file' if target == case.new.path else 'other'}"] += len(case.labels)
    return counted


def ours(case: Case, index: MovedFiles, misses: int) -> Counter[str]:
    """Ask our finder."""
    counted: Counter[str] = Counter()
    began = perf_counter()
    found = index.find(case.old, [Anchor(label.line) for label in case.labels])
    counted["microseconds"] += int(1e6 * (perf_counter() - began))
    for label, moved in zip(case.labels, found, strict=True):
        right = moved is not None and moved.path == case.new.path
        for name in ("holdfast", *(("holdfast, clear",) if moved is not None and moved.unambiguous else ())):
            counted[f"{name}: file"] += right
            counted[f"{name}: other"] += moved is not None and not right
            counted[f"{name}: line"] += right and moved is not None and moved.placement.line == label.truth
        if not right and misses:
            misses -= 1
            print(f"  {case.name}:{label.line} is in {case.new.path}:{label.truth},",
                  f"not in {moved.path} ({moved.share:.2f})" if moved else "not found")  # fmt: skip
            print(f"    {case.old.text.split(chr(10))[label.line - 1].strip()}")
    return counted


def served(cases: list[Case], before: Sequence[FileVersion], after: Sequence[FileVersion]) -> Counter[str]:
    """Count the files and lines with which a server shows the notes, without a scan."""
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        _write(folder, before, ())
        room = Comments(Repository.discover(folder))
        labels = {}
        for case in cases:
            source = RepoPath.parse(case.old.path)
            for label in case.labels:
                draft = CommentDraft(label.line, "look", "bench")
                labels[CommentWriter(room).add(source, draft).note.id] = (case.new.path, label.truth)
        room.close()
        _write(folder, after, {each.path for each in before} - {each.path for each in after})
        room = Comments(Repository.discover(folder))
        for path in {case.new.path for case in cases}:
            for note in room.load(path).comments:
                if note.id in labels and note.reason != MOVED_REASON:
                    target, truth = labels[note.id]
                    counted[f"{SERVED}: {'file' if path == target else 'other'}"] += 1
                    counted[f"{SERVED}: line"] += (path, note.line) == (target, truth) and not note.orphaned
        room.close()
    return counted


def _write(folder: str, versions: Iterable[FileVersion], gone: Iterable[str]) -> None:
    """Write a tree over the one that is there, and commit it with the notes that were written meanwhile."""
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "notes"], check=True)
    for path in gone:
        Path(folder, path).unlink()
    for version in versions:
        place = Path(folder, version.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(version.text.encode("utf-8", "surrogateescape"))
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "tree"], check=True)


def renames(
    before: Iterable[FileVersion], after: Iterable[FileVersion], options: tuple[str, ...]
) -> dict[str, str]:
    """Return where git says that files went: of several places, the likest."""
    with tempfile.TemporaryDirectory() as folder:
        git = ["git", "-C", folder]
        subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
        stream = b"".join(_commit(number, each) for number, each in enumerate((before, after)))
        subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)
        command = [*git, "-c", "core.quotePath=false", "diff-tree", "-r", "-l0", *options, "main~1", "main"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, tuple[int, str]] = {}
    for line in done.stdout.splitlines():
        about, *paths = line.split("\t")
        status = about.split()[-1]
        if status[0] in "RC":
            found[paths[0]] = max(found.get(paths[0], (0, "")), (int(status[1:]), paths[1]))
    return {path: target for path, (_, target) in found.items()}


def _commit(number: int, versions: Iterable[FileVersion]) -> bytes:
    parts = [f"commit refs/heads/main\ncommitter a <a@b> {number} +0000\ndata 0\ndeleteall\n".encode()]
    for version in versions:
        text = version.text.encode("utf-8", "surrogateescape")
        parts.append(f'M 100644 inline "{version.path}"\ndata {len(text)}\n'.encode() + text + b"\n")
    return b"".join(parts)


if __name__ == "__main__":
    sys.exit(main())
