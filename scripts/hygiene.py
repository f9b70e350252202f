"""Refuses constructs that the code must not contain, and text that the repository must not contain.

In the code: shells, pickles, evaluated strings, programs started outside `RUNS_PROGRAMS`, files written
outside storage/, and exceptions of every kind caught outside `CATCHES_EVERYTHING`. In the repository: paths
of the machine it was written on, hosts of package registries, notes about unfinished work, and stray files at
its root.

A line that needs an exception gives the reason in a comment: `hygiene: reason`.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "holdfast"
SKIPPED_FOLDERS = {"node_modules", "__pycache__", "build", "dist", "target"}
SKIPPED_FILES = {"Cargo.lock"}
"""Written by cargo, and ignored by git."""
HIDDEN_FOLDERS = {".ci", ".github", ".cargo"}
AT_ROOT = {
    "AGENTS.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Dockerfile",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "action.yml",
    "pyproject.toml",
    "requirements.lock",
    "server.json",
    "serving.lock",
}
EXEMPT = "hygiene: "

FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill"}
PROCESS_MODULES = {"subprocess", "multiprocessing", "pty"}
RUNS_PROGRAMS = {"storage/git/command.py", "storage/processes/child.py", "storage/processes/editor.py"}
CATCHES_EVERYTHING = {
    "analysis/analysis_process.py",  # a computation, whose callers get the failure
    "analysis/engine/analysis_run.py",  # one of the analyses to run
    "analysis/engine/file_reader.py",  # one of the files to analyse
    "doctor.py",  # one of the things to examine
    "kernel/dispatch/failures.py",  # an operation
    "kernel/dispatch/workers.py",  # the same, on its way out of a thread
    "faces/cli/application.py",  # the program
    "faces/hooks/command.py",  # a hook, which must not disturb its client
    "faces/hooks/listener.py",  # one of the hooks that a server answers
    "faces/http/application.py",  # a request over HTTP
    "faces/http/worker_processes.py",  # a worker process, which ends with the status its failure has
    "faces/mcp/engine.py",  # a request to the SDK
    "faces/mcp/handshake.py",  # the loading of the rest, which the next request tries again
    "faces/mcp/resource_states.py",  # the state of a resource that a client follows
    "faces/mcp/server.py",  # a handler of the protocol
    "storage/processes/worker.py",  # a task, whose caller gets the failure
    "storage/watching/topic.py",  # the probe or the listener of one topic
}
"""Where one failure must not end something that serves others, with the failing part."""
PROCESS_CALLS = re.compile(r"os\.(system|popen|fork|exec\w+|spawn\w+|posix_spawn\w*)|.*create_subprocess_\w+")
WRITING_CALLS = re.compile(
    r".*\.(write_text|write_bytes|unlink|touch|mkdir|rmdir|rename|symlink_to|hardlink_to)"
    r"|os\.(replace|remove|truncate|link|symlink|makedirs)|shutil\.(copy\w*|move|rmtree|chown)"
)

HOMES = r"/(?:root|home/\w+|Users/\w+)/"
HOSTS = r"\b(?:pypi|pythonhosted|npmjs|yarnpkg|anaconda|crates|rubygems)\.(?:org|com|io|dev)\b"
# Tags of users' comments have these names too, so the words only count after the start of a comment.
UNDONE = r"(?:(?<!#)#|//|/\*|<!--|^\s*[-*])\s*(?:TOD[O]|FIXM[E]|HAC[K]|WI[P])\b"


def code_problems(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and problem for every forbidden construct in a module of the package."""
    where = path.relative_to(PACKAGE).as_posix()
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in run_time_nodes(ast.parse("\n".join(lines))):
        if isinstance(node, ast.expr | ast.stmt) and EXEMPT in lines[node.lineno - 1]:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((node.lineno, problem) for problem in import_problems(node, where))
        elif isinstance(node, ast.Call):
            yield from ((node.lineno, problem) for problem in call_problems(node, where))
        elif (
            isinstance(node, ast.ExceptHandler)
            and catches_everything(node)
            and where not in CATCHES_EVERYTHING
        ):
            yield node.lineno, "every exception is caught and none is raised again"


def run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node except those that only a type checker sees."""
    yield node
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    for child in ast.iter_child_nodes(node):
        yield from run_time_nodes(child)


def import_problems(node: ast.Import | ast.ImportFrom, where: str) -> Iterator[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    for name in (name.partition(".")[0] for name in names):
        if name in FORBIDDEN_MODULES:
            yield f"{name} runs what it reads"
        if name in PROCESS_MODULES and where not in RUNS_PROGRAMS:
            yield f"{name} outside {' and '.join(sorted(RUNS_PROGRAMS))}"


def call_problems(node: ast.Call, where: str) -> Iterator[str]:
    name = ast.unparse(node.func)
    if any(keyword.arg == "shell" and truthy(keyword.value) for keyword in node.keywords):
        yield "a shell"
    if name in {"eval", "exec", "compile"}:
        yield f"{name} of a string"
    if PROCESS_CALLS.fullmatch(name) and where not in RUNS_PROGRAMS:
        yield f"{name} outside {' and '.join(sorted(RUNS_PROGRAMS))}"
    if not where.startswith("storage/") and (WRITING_CALLS.fullmatch(name) or opens_for_writing(node, name)):
        yield f"{name} writes outside storage/"


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler catches every exception and raises none."""
    names = {"Exception", "BaseException"} & {ast.unparse(handler.type)} if handler.type else {"everything"}
    return bool(names) and not any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def truthy(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Constant) and not value.value)


def opens_for_writing(node: ast.Call, name: str) -> bool:
    """Return whether a call opens a file in a mode other than for reading."""
    if name == "os.open":
        return "os.O_RDONLY" not in ast.unparse(node)
    if name not in {"open", "io.open"} and not name.endswith(".open"):
        return False
    position = 1 if name in {"open", "io.open"} else 0
    modes = [keyword.value for keyword in node.keywords if keyword.arg == "mode"]
    modes += node.args[position : position + 1]
    return any(isinstance(mode, ast.Constant) and bool(set(str(mode.value)) & set("wax+")) for mode in modes)


def text_problems(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and problem for all text that must not be in the repository."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return
    is_test = ROOT / "tests" in path.parents  # Tests contain paths of other homes that must be refused.
    machine = re.compile(re.escape(str(ROOT)) + r"\b" + ("" if is_test else f"|{HOMES}"))
    for number, line in enumerate(lines, 1):
        if EXEMPT in line:
            continue
        for what, pattern in (("machine path", machine), ("registry host", HOSTS), ("unfinished", UNDONE)):
            found = re.search(pattern, line)
            if found:
                yield number, f"{what}: {found.group()}"


def place_problems(path: Path) -> Iterator[tuple[int, str]]:
    """Yield a problem for an unknown file at the root."""
    if path.parent == ROOT and path.name not in AT_ROOT and not path.name.startswith("."):
        yield 1, "left at the root: move it, remove it, or name it in AT_ROOT"


def files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if is_ours(name))
        yield from (Path(folder, name) for name in sorted(names) if name not in SKIPPED_FILES)


def is_ours(folder: str) -> bool:
    return folder in HIDDEN_FOLDERS or not (folder.startswith(".") or folder in SKIPPED_FOLDERS)


def main() -> int:
    """Print every problem as path, line and reason."""
    problems = []
    for path in files():
        found = list(text_problems(path)) + list(place_problems(path))
        if path.suffix == ".py" and PACKAGE in path.parents:
            found += code_problems(path)
        problems += [f"{path.relative_to(ROOT)}:{line}: {problem}" for line, problem in sorted(found)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
