"""How right the search for dead code is: dead and live code is put into real trees, and looked for.

The pieces in `dead_code_cases/` go into files drawn at random, by a seed. A dead symbol counts as found at
medium or high confidence; a live one reported there is a false alarm. What the trees themselves hold is not
counted, since nobody knows it; `--sample` shows some of it, to be judged by eye. One name in ten of dead
functions is a common word, which the tree may use for something else.

A piece begins with `===` and what it is, names which of its symbols are dead and which live, and has parts
by place: `end` of a file (in Java of its class), `top` among its imports, `member` in a class of the file,
`sibling` in another file of the folder, `test` as a file of tests, `other` as a file beside it. `@f@` is a
function of the piece, `@C@` a class, `@K@` a constant, `@l@` a local variable; `@module@` is the file and
`@n@` a number.

    python -m bench.dead_code [DIR]... [--each 4] [--sample 50]

`HOLDFAST_TREES` names folders of trees too; those that were tuned on are known by their names.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import basename, dirname, splitext

from bench._dead_code_score import Label, Score, vulture
from bench._peers import Peers, folders
from bench._results import Results, absent, parser
from holdfast.analysis.dead_code.detection import find_dead_code
from holdfast.analysis.dead_code.unused_code import UnusedCode
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.engine.test_files import IN_TESTS
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.parse import ParseTooLong
from holdfast.syntax.record import MODULE, Record, read_record

VERBS = "merge split collect resolve measure rewind prune encode relabel stitch probe settle derive"
NOUNS = "header offset ledger window bucket cursor digest anchor margin quota shard token marker"
TAILS = "batch entry index limit order range state table total"
COMMON = "process validate convert prepare cleanup normalize transform compute extract finalize"
COMMON_SHARE = 0.1
FEWEST_FILES = 6
TUNED = frozenset({"flask", "click", "werkzeug", "zod", "gin", "ripgrep", "commons-csv", "jsoup"})
"""Trees that were looked at while the analysis was made."""
SKIPPED = {".git", "node_modules", "target", "dist", "build", "__pycache__"}
LARGEST = 400_000
IMPORTS = {
    "python": re.compile(r"^(?:import|from) (?!__future__)", re.MULTILINE),
    "typescript": re.compile(r"^import ", re.MULTILINE),
    "rust": re.compile(r"^use ", re.MULTILINE),
    "java": re.compile(r"^import ", re.MULTILINE),
}
OWN_CLASS = re.compile(r"^class \w+:\n(?:(?!class ).*\n)*?(?<!\n)(?<=\n)(?=    def __init__\()", re.MULTILINE)


TOKEN = re.compile(r"@(f|g|l|c|d|k|C|K|n|module)@")


@dataclass(frozen=True)
class Case:
    """A piece of code and what is true of the names in it."""

    what: str
    dead: tuple[str, ...]
    live: tuple[str, ...]
    parts: Mapping[str, str]


def read_cases(path: Path) -> list[Case]:
    """Return the pieces of one language."""
    cases = []
    for block in path.read_text("utf-8").split("=== ")[1:]:
        head, *parts = re.split(r"^--- ", block, flags=re.MULTILINE)
        what, *lines = head.strip().split("\n")
        names = {key: tuple(value.split()) for key, _, value in (line.partition(": ") for line in lines)}
        texts = {place: text for place, _, text in (part.partition("\n") for part in parts)}
        cases.append(Case(what, names.get("dead", ()), names.get("live", ()), texts))
    return cases


CASES = {
    path.stem: read_cases(path) for path in sorted(Path(__file__).with_name("dead_code_cases").iterdir())
}


@dataclass
class Tree:
    """The files of a project as texts, read again only where they were changed."""

    texts: dict[str, str]
    records: dict[str, Record] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)

    @classmethod
    def load(cls, root: Path) -> Tree:
        """Read the files below a folder."""
        texts = {}
        for folder, inner, files in os.walk(root):
            inner[:] = sorted(set(inner) - SKIPPED)
            for name in sorted(files):
                path = Path(folder, name)
                if path.is_file() and path.stat().st_size <= LARGEST:
                    texts[path.relative_to(root).as_posix()] = path.read_text("utf-8", "replace")
        return cls(texts).read(list(texts))

    def read(self, paths: list[str]) -> Tree:
        """Read the records of some files."""
        for path in paths:
            with suppress(ParseTooLong):  # what a machine has written, in one line
                record = read_record(path, self.texts[path].encode("utf-8", "replace"))
                if record is not None:
                    self.records[path] = record
        return self

    def resolution(self) -> Resolution:
        """Return what the names of the tree mean."""
        others = sorted(self.texts.keys() - self.records.keys())
        return Resolution(Scan(dict(sorted(self.records.items())), {}, (), tuple(others)), self.texts.get)


class Injector:
    """Puts cases into a tree."""

    def __init__(self, tree: Tree, seed: int) -> None:
        self.tree = tree
        self.random = random.Random(seed)
        self.number = 0
        self.changed: set[str] = set()
        self.used: set[str] = set()
        self.words = set(re.findall(r"\w+", "\n".join(tree.texts.values())))
        resolution = tree.resolution()
        self.passed_on = {
            file
            for path, record in tree.records.items()
            for row in record.names.imports
            if row.reexported
            for file in resolution.imports.target(path, row).files
        }

    def inject(self, language: str, case: Case) -> None:
        """Put a case into a file drawn at random; where no file takes it, nothing is done."""
        hosts = list(self._hosts(language, case))
        if not hosts:
            return
        host = self.random.choice(hosts)
        self.number += 1
        words = self._names(language, host) | {"n": str(self.number), "module": splitext(basename(host))[0]}
        places: dict[str, str] = {}
        first = 0
        for part, text in case.parts.items():
            filled = TOKEN.sub(lambda token: words[token[1]], text)
            path = self._path(language, part, host, words)
            before = self.tree.texts.get(path, "")
            after = self._placed(language, part, before, filled)
            self.tree.texts[path] = after
            self.changed.add(path)
            places[part] = path
            if filled in after:
                first = after[: after.index(filled)].count("\n") + 1
        home = places.get("test") or places.get("end") or places.get("top") or places["member"]
        for dead, tokens in ((True, case.dead), (False, case.live)):
            for token in tokens:
                self.tree.labels.append(Label(home, _named(token, words), dead, f"{language}: {case.what}"))
        if case.what == "unreachable":
            self.tree.labels.append(Label(home, "", True, f"{language}: {case.what}", first + 2))

    def _hosts(self, language: str, case: Case) -> Iterator[str]:
        for path, record in self.tree.records.items():
            if record.language != language or IN_TESTS.search(path) or record.syntax_error:
                continue
            text = self.tree.texts[path]
            taken = path in self.passed_on or basename(path).startswith(("index.", "__init__.", "lib.rs"))
            if (
                path.endswith(".d.ts")
                or (case.what == "exported function" and taken)
                or (case.what in ("exported", "public") and not self._is_library(path, record))
                or (case.what == "list of exports" and record.names.exports)
                or ("top" in case.parts and not IMPORTS[language].search(text))
                or ("member" in case.parts and not OWN_CLASS.search(text))
                or ("sibling" in case.parts and self._sibling(path) is None)
                or (language == "java" and not _is_class(record, text))
                or (language == "python" and basename(path).startswith(("__", "setup.", "conf.")))
            ):
                continue
            yield path

    def _is_library(self, path: str, record: Record) -> bool:
        if record.language == "rust":
            return any(path.startswith(dirname(lib) + "/") for lib in self.tree.records if "lib.rs" in lib)
        return record.names.package != "main" and "internal/" not in path

    def _sibling(self, host: str) -> str | None:
        record, folder = self.tree.records[host], dirname(host)
        if record.language == "python" and f"{folder}/__init__.py" not in self.tree.texts:
            return None
        near = [
            path
            for path, other in self.tree.records.items()
            if dirname(path) == folder and path != host and other.language == record.language
            and not IN_TESTS.search(path) and not basename(path).startswith("__")
            and other.names.package == record.names.package
        ]  # fmt: skip
        return near[0] if near else None

    def _names(self, language: str, host: str) -> dict[str, str]:
        camel = language in ("typescript", "go", "java")
        found: dict[str, str] = {}
        for token in ("f", "g", "l", "c", "d", "k", "C", "K"):
            while True:
                parts = [self.random.choice(words.split()) for words in (VERBS, NOUNS, TAILS)]
                if token in "fg" and self.random.random() < COMMON_SHARE:
                    parts = [self.random.choice(COMMON.split())]
                name = "_".join(parts)
                pascal = "".join(part.title() for part in parts)
                if token == "C":
                    name = pascal
                elif token == "K":
                    name = name.upper()
                elif camel:
                    name = pascal[0].lower() + pascal[1:]
                known = self.words if len(parts) > 1 else set(re.findall(r"\w+", self.tree.texts[host]))
                if pascal not in self.used and not {name, f"_{name}"} & known:
                    self.used.add(pascal)
                    break
            found[token] = name
        return found

    def _path(self, language: str, part: str, host: str, words: Mapping[str, str]) -> str:
        number, folder = words["n"], dirname(host)
        if part == "sibling":
            return self._sibling(host) or host
        if part == "test":
            return {
                "python": f"tests/test_injected_{number}.py",
                "typescript": f"{folder}/injected{number}.test.ts",
                "go": f"{folder}/injected{number}_test.go",
                "java": f"src/test/java/Injected{number}Test.java",
            }[language]
        if part == "other":
            return f"{folder}/{words['C']}.java" if language == "java" else f"templates/{number}.html"
        return host

    def _placed(self, language: str, part: str, before: str, text: str) -> str:
        """Return the text of a file with a piece in it."""
        if part == "top":
            found = IMPORTS[language].search(before)
            assert found is not None
            return before[: found.start()] + text + before[found.start() :]
        if part == "member":
            found = OWN_CLASS.search(before)
            assert found is not None
            inner = "".join(f"    {line}\n" for line in text.splitlines()) + "\n"
            return before[: found.end()] + inner + before[found.end() :]
        if part in ("test", "other") and language == "go":
            return f"package injected\n\n{text}"
        if part == "end" and language == "java":
            inner = "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())
            return before.removesuffix("}\n") + "\n" + inner + "}\n"
        return f"{before}\n\n{text}" if before else text


def _is_class(record: Record, text: str) -> bool:
    kinds = [row.kind for row in record.names.definitions if row.container == MODULE]
    return kinds == ["Class"] and text.endswith("\n}\n")


def _named(token: str, words: Mapping[str, str]) -> str:
    for prefix in ("test_", "Test", "_"):
        if token.startswith(prefix):
            return prefix + words[token.removeprefix(prefix)]
    return words[token]


def injected(tree: Tree, languages: list[str], each: int, seed: int) -> tuple[Score, Tree]:
    """Put every case of some languages into a tree so many times, and return how well it was judged."""
    injector = Injector(tree, seed)
    for language in languages:
        for case in CASES[language]:
            for _ in range(each):
                injector.inject(language, case)
    tree.read(sorted(injector.changed))
    by_name: dict[tuple[str, str], UnusedCode] = {}
    statements: dict[tuple[str, int], UnusedCode] = {}
    for one in find_dead_code(tree.resolution()):
        if one.kind == "unreachable":
            statements[one.file, one.line] = one
        else:
            by_name[one.file, one.name.rpartition(".")[2]] = one
    score = Score()
    for label in tree.labels:
        place = label.file, label.line
        found = by_name.get((label.file, label.name)) if label.name else statements.get(place)
        if found is not None:
            score.add(label, found.level, found.reason)
        else:
            score.add(label, None)
    return score, tree


def main() -> int:
    """Publish how well each tree was judged, and print what was wrong and a sample of what trees hold."""
    options = parser(__doc__)
    known = [tree for folder in folders("HOLDFAST_TREES") for tree in sorted(folder.iterdir())]
    options.add_argument("trees", nargs="*", type=Path, default=known)
    options.add_argument("--each", type=int, default=4)
    options.add_argument("--sample", type=int, default=0)
    given = options.parse_args()
    if not given.trees:
        return absent("a folder of trees (HOLDFAST_TREES)")
    peers = Peers("dead_code", ["vulture"])
    results = Results("bench.dead_code", "Trees of public repositories with pieces put in", peers.versions())
    for name, seed, tuned in (("tuned", 1, True), ("unseen", 7, False)):
        trees = [tree for tree in given.trees if (tree.name in TUNED) is tuned]
        _published(results, name, trees, given, seed, peers)
    return results.finish(given)


def _published(
    results: Results, name: str, trees: list[Path], given: argparse.Namespace, seed: int, peers: Peers
) -> None:
    rows, total, theirs = [], Score(), Score()
    for root in trees:
        tree = Tree.load(root)
        counted = Counter(record.language for record in tree.records.values())
        languages = [language for language in CASES if counted[language] >= FEWEST_FILES]
        if given.sample:
            _show_sample(tree, given.sample, seed)
        if not languages:
            continue
        score, _ = injected(tree, languages, given.each, seed)
        rows.append(score.row(f"{root.name} ({', '.join(languages)})"))
        total.merge(score)
        print(*score.wrong, sep="\n")
        if languages == ["python"]:
            told = vulture(peers, tree.texts)
            for label in tree.labels:
                theirs.add(label, "medium" if (label.file, label.name or label.line) in told else None)
    rows += [total.row("**all**"), theirs.row("vulture, the Python trees")]
    results.table(
        name, ("tree", "dead", "live", "precision", "recall", "F1", "precision at high (number)"), rows
    )
    of = "tuned on" if name == "tuned" else "not tuned on"
    beside = f"vulture, Python: {theirs.f1:.3f}"
    results.bar(f"dead code, trees {of}: F1", total.f1, 0.9, better="higher", against=beside)
    results.bar(f"dead code, trees {of}: precision at high confidence", total.high, 0.95, better="higher")


def _show_sample(tree: Tree, most: int, seed: int) -> None:
    found = [one for one in find_dead_code(tree.resolution()) if one.level == "high"]
    chosen = random.Random(seed).sample(found, min(most, len(found)))
    for one in sorted(chosen, key=lambda one: (one.file, one.line)):
        line = tree.texts[one.file].split("\n")[one.line - 1].strip()
        print(f"{one.kind} {one.name} {one.file}:{one.line}: {line[:100]}")


if __name__ == "__main__":
    sys.exit(main())
