"""Finds the commands with which a project checks itself: scripts of package.json, tox, and its CI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json, parse_yaml
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree

_MAX_FILE_BYTES = 256 * 1024
"""A judgement: configuration files of this kind have a few kilobytes."""
_MAX_COMMANDS = 4
"""A judgement: more rules about checks are not read; the first workflows and scripts are the main ones."""
_MAX_WORKFLOWS = 20
"""A judgement: more than most projects have."""
_SCRIPTS = ("test", "lint", "typecheck")
_PLACEHOLDER = "no test specified"
"""In the script that `npm init` writes."""
_IN_FOLDER = "working-directory"
_WORKFLOWS = RepoPath.parse(".github/workflows")
_PACKAGE_MANAGERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
_RUNNER = (
    r"pytest|tox|nox|unittest|mypy|flake8|ruff check|pylint"
    r"|(?:npm|pnpm|yarn) (?:run )?(?:test|lint|typecheck)\S*"
    r"|cargo (?:test|clippy)|go (?:test|vet)|make (?:test|check|lint)\S*|(?:\./)?mvnw? .*(?:test|verify)"
    r"|(?:\./)?gradlew? .*(?:test|check|build)|rake test|rspec|rubocop|(?:vendor/bin/)?(?:phpunit|phpstan)\S*"
    r"|composer test|dotnet test|(?:\./)?runtests\.py"
)
_LAUNCHER = r"(?:(?:python[0-9.]*|py|uv run|poetry run|hatch run|npx|bundle exec) )?(?:-m )?"
_COMMAND = re.compile(rf"{_LAUNCHER}(?:{_RUNNER})(?: [^|;&$`{{}}<>]*)?")


def find_check_commands(tree: Tree) -> list[tuple[str, str]]:
    """Return the commands, each with the file that names it; at most a few."""
    found: dict[str, str] = {}
    for command, path in (*_package_scripts(tree), *_tox(tree), *_workflow_commands(tree)):
        found.setdefault(command, path)
    return list(found.items())[:_MAX_COMMANDS]


def _package_scripts(tree: Tree) -> Iterator[tuple[str, str]]:
    try:
        scripts = parse_json(_read(tree, "package.json")).get("scripts")
    except (UnreadableDocument, AttributeError):
        return
    lock_files = (name for name in _PACKAGE_MANAGERS if tree.exists(RepoPath.parse(name)))
    manager = _PACKAGE_MANAGERS.get(next(lock_files, ""), "npm")
    for name in _SCRIPTS:
        script = scripts.get(name) if isinstance(scripts, dict) else None
        if isinstance(script, str) and script and _PLACEHOLDER not in script:
            yield (f"{manager} test" if name == "test" else f"{manager} run {name}"), "package.json"


def _tox(tree: Tree) -> Iterator[tuple[str, str]]:
    for path, section in (("tox.ini", ""), ("pyproject.toml", "[tool.tox"), ("setup.cfg", "[tox:")):
        text = _read(tree, path)
        if text and section in text:
            yield "tox", path
            return


def _workflow_commands(tree: Tree) -> Iterator[tuple[str, str]]:
    try:
        workflows = sorted(tree.files_in(_WORKFLOWS), key=lambda path: path.text)
    except HoldfastError:
        return
    for path in workflows[:_MAX_WORKFLOWS]:
        try:
            workflow = parse_yaml(_read(tree, path.text))
        except UnreadableDocument:
            continue
        for script in _scripts_of(workflow):
            for line in script.splitlines():
                if _COMMAND.fullmatch(line.strip()):
                    yield line.strip(), path.text


def _scripts_of(workflow: Any) -> Iterator[str]:
    """Yield the scripts that the steps of a workflow run in the root of the repository."""
    jobs = workflow.get("jobs") if isinstance(workflow, dict) and "defaults" not in workflow else None
    for job in jobs.values() if isinstance(jobs, dict) else ():
        steps = job.get("steps") if isinstance(job, dict) and "defaults" not in job else None
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict) and isinstance(step.get("run"), str) and _IN_FOLDER not in step:
                yield step["run"]


def _read(tree: Tree, path: str) -> str:
    """Return the text of a file; empty if it cannot be read."""
    try:
        return tree.read_bytes(RepoPath.parse(path), _MAX_FILE_BYTES).decode("utf-8", "replace")
    except HoldfastError:
        return ""
