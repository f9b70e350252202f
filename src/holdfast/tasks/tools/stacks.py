"""Which languages a repository is written in, as far as its files tell, and what a workspace gains by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import Draft


@dataclass(frozen=True, slots=True)
class Stack:
    """A language, the files that betray it, and how its projects are tested and checked."""

    name: str
    files: tuple[str, ...]
    test: str
    check: str
    rules: tuple[tuple[str, str], ...]


STACKS = (
    Stack(
        "python",
        ("pyproject.toml", "setup.py", "requirements.txt"),
        "pytest",
        "ruff check . && mypy .",
        (
            ("coding", "Annotate the types of public functions."),
            ("testing", "Run pytest before a task is done."),
            ("security", "Never build shell commands or SQL from strings that came from outside."),
        ),
    ),
    Stack(
        "typescript",
        ("tsconfig.json",),
        "npm test",
        "npx tsc --noEmit",
        (("coding", "Avoid `any`; name the type."), ("testing", "Run npm test before a task is done.")),
    ),
    Stack(
        "node",
        ("package.json",),
        "npm test",
        "npx eslint .",
        (
            ("testing", "Run npm test before a task is done."),
            ("git", "Commit the lock file with the manifest."),
        ),
    ),
    Stack(
        "rust",
        ("Cargo.toml",),
        "cargo test",
        "cargo clippy -- -D warnings",
        (
            ("coding", "Avoid `unwrap` outside of tests."),
            ("testing", "Run cargo test before a task is done."),
        ),
    ),
    Stack(
        "go",
        ("go.mod",),
        "go test ./...",
        "go vet ./...",
        (
            ("coding", "Handle every error where it arises."),
            ("testing", "Run go test before a task is done."),
        ),
    ),
    Stack(
        "java",
        ("pom.xml", "build.gradle", "build.gradle.kts"),
        "the build's tests",
        "the build's checks",
        (("testing", "Run the build's tests before a task is done."),),
    ),
    Stack(
        "ruby",
        ("Gemfile",),
        "bundle exec rake test",
        "bundle exec rubocop",
        (("testing", "Run the tests before a task is done."),),
    ),
    Stack(
        "php",
        ("composer.json",),
        "vendor/bin/phpunit",
        "vendor/bin/phpstan analyse",
        (("testing", "Run phpunit before a task is done."),),
    ),
)

STANDARD_RULES: tuple[tuple[str, str], ...] = (
    ("coding", "Make the smallest change that does what the task asks, in the style of the code around it."),
    ("testing", "Every change of behaviour comes with a test that fails without it."),
    ("git", "Name the task in the commit: a last line `Task: TP-12`."),
    ("security", "Never write passwords, keys or tokens into files or messages."),
    ("custom", "A task is done when its criteria are checked and the tests pass, not before."),
)

_MOST_REQUIREMENTS = 20_000


def detected(repository: Repository, told: str | None) -> list[Stack]:
    """Return the stacks that somebody told of, and those whose files are there."""
    words = (told or "").lower()
    tree = Tree(repository)
    found = []
    for stack in STACKS:
        present = not repository.bare and any(tree.exists(RepoPath.parse(name)) for name in stack.files)
        if present or stack.name in words:
            found.append(stack)
    return found


def starter_rules(stacks: Sequence[Stack]) -> list[tuple[str, str]]:
    """Return the rules that a new workspace begins with."""
    return [*STANDARD_RULES, *dict.fromkeys(rule for stack in stacks for rule in stack.rules)]


def starter_tasks(stacks: Sequence[Stack], requirements: str | None) -> list[Draft]:
    """Return the three to five tasks that a new workspace begins with."""
    test = stacks[0].test if stacks else "the tests"
    check = stacks[0].check if stacks else "a linter"
    drafts = [
        Draft(
            "Write down what the project is for",
            "Fill .task/project.md: who uses it, what it does, what it does not do.",
            priority="high",
            ref="purpose",
            criteria=["project.md says who uses it and for what"],
            labels=["setup"],
        ),
        Draft(
            "Make the tests run with one command",
            f"One command runs every test and fails when one does: {test}.",
            priority="high",
            criteria=["The command is written down", "It fails when a test fails"],
            labels=["setup"],
        ),
        Draft(
            "Check style and types with one command",
            f"One command judges the code without running it: {check}.",
            criteria=["The command is written down"],
            labels=["setup"],
        ),
        Draft(
            "Agree on the rules",
            "Read .task/rules/standard_rules.md and add what is particular here to workspace_rules.md.",
            priority="low",
            depends_on=[("#purpose", "blocks")],
            labels=["setup"],
        ),
    ]
    if requirements:
        drafts.append(
            Draft(
                "Plan the requirements",
                requirements[:_MOST_REQUIREMENTS],
                priority="high",
                depends_on=[("#purpose", "blocks")],
                criteria=["Every requirement is a task with criteria"],
                labels=["planning"],
            )
        )
    return drafts
