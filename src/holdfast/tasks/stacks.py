"""Technology stacks: detects them, and provides the rules and tasks with which a workspace starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.check_commands import find_check_commands
from holdfast.tasks.store.records import Draft


@dataclass(frozen=True, slots=True)
class Stack:
    """A technology that a project may use."""

    names: tuple[str, ...]
    """Names under which a user may mention it; the first is the one that is stored."""
    files: tuple[str, ...]
    """Files in the root of the repository that show that it is used; one is enough."""
    test: str
    """The usual command that runs the tests."""
    check: str
    """The usual command that checks style and types."""
    rules: tuple[tuple[str, str], ...] = ()
    """Starter rules besides that on tests, each a rule type and a text."""


STACKS = (
    Stack(
        names=("python", "py", "django", "flask", "fastapi"),
        files=("pyproject.toml", "setup.py", "requirements.txt"),
        test="pytest",
        check="ruff check . && mypy .",
        rules=(
            ("coding", "Annotate the types of public functions."),
            ("security", "Never build shell commands or SQL from strings that came from outside."),
        ),
    ),
    Stack(
        names=("typescript", "ts", "deno"),
        files=("tsconfig.json",),
        test="npm test",
        check="npx tsc --noEmit",
        rules=(("coding", "Avoid `any`; name the type."),),
    ),
    Stack(
        names=("node", "javascript", "js", "nodejs", "react", "vue", "express"),
        files=("package.json",),
        test="npm test",
        check="npx eslint .",
        rules=(("git", "Commit the lock file with the manifest."),),
    ),
    Stack(
        names=("rust", "cargo"),
        files=("Cargo.toml",),
        test="cargo test",
        check="cargo clippy -- -D warnings",
        rules=(("coding", "Avoid `unwrap` outside of tests."),),
    ),
    Stack(
        names=("go", "golang"),
        files=("go.mod",),
        test="go test ./...",
        check="go vet ./...",
        rules=(("coding", "Handle every error where it arises."),),
    ),
    Stack(
        names=("java", "spring", "maven", "gradle"),
        files=("pom.xml", "build.gradle", "build.gradle.kts"),
        test="the build tool's tests",
        check="the build tool's checks",
    ),
    Stack(
        names=("ruby", "rails"), files=("Gemfile",), test="bundle exec rake test", check="bundle exec rubocop"
    ),
    Stack(
        names=("php", "laravel", "symfony"),
        files=("composer.json",),
        test="vendor/bin/phpunit",
        check="vendor/bin/phpstan analyse",
    ),
)
STANDARD_RULES: tuple[tuple[str, str], ...] = (
    ("coding", "Make the smallest change that does what the task asks, in the style of the code around it."),
    ("testing", "Every change of behaviour comes with a test that fails without it."),
    ("git", "Name the task in the commit: a last line `Task: TP-12`."),
    ("security", "Never write passwords, keys or tokens into files or messages."),
    ("custom", "A task is done when its criteria are checked and the tests pass, not before."),
)
_TEST_RULE = "Run {} before a task is done."
_FOUND_RULE = "Run `{}` before a task is done; {} names it."
_MAX_REQUIREMENTS_CHARACTERS = 20_000
"""The planning task cuts the requirements to this length. A judgement: several pages, and below
`MAX_TEXT_CHARACTERS`, the limit of a description."""


def detect_stacks(repository: Repository, named: str | None) -> list[Stack]:
    """Return the stacks that are named in a text, and those whose files exist."""
    asked_for, tree = named_stacks(named), Tree(repository)
    return [
        stack
        for stack in STACKS
        if stack in asked_for
        or (not repository.bare and any(tree.exists(RepoPath.parse(name)) for name in stack.files))
    ]


def named_stacks(text: str | None) -> list[Stack]:
    """Return the stacks that a text names."""
    words = set(re.findall(r"[a-z+#]+", (text or "").lower()))
    return [stack for stack in STACKS if not words.isdisjoint(stack.names)]


def starter_rules(stacks: Sequence[Stack]) -> list[tuple[str, str]]:
    """Return the rules of a new project without duplicates, each a rule type and a text."""
    return [*STANDARD_RULES, *stack_rules(stacks)]


def stack_rules(stacks: Sequence[Stack]) -> list[tuple[str, str]]:
    """Return the rules of technologies without duplicates, each a rule type and a text."""
    own = [rule for stack in stacks for rule in (*stack.rules, ("testing", _TEST_RULE.format(stack.test)))]
    return list(dict.fromkeys(own))


def found_rules(repository: Repository) -> list[tuple[str, str]]:
    """Return a rule for each command with which the project checks itself, each a rule type and a text."""
    commands = [] if repository.bare else find_check_commands(Tree(repository))
    return [("testing", _FOUND_RULE.format(command, path)) for command, path in commands]


def planning_task(requirements: str) -> Draft:
    """Return the task to plan requirements."""
    return Draft(
        "Plan the requirements",
        requirements[:_MAX_REQUIREMENTS_CHARACTERS],
        priority="high",
        criteria=["Every requirement is a task with criteria"],
        labels=["planning"],
    )


def starter_tasks(stacks: Sequence[Stack], requirements: str | None) -> list[Draft]:
    """Return the four tasks of a new project and, if there are requirements, a fifth to plan them."""
    test = stacks[0].test if stacks else "the tests"
    check = stacks[0].check if stacks else "a linter"
    drafts = [
        Draft(
            "Write down what the project is for",
            "Fill in .task/project.md: who uses it, what it does, what it does not do.",
            priority="high",
            ref="purpose",
            criteria=["project.md says who uses it and for what"],
            labels=["setup"],
        ),
        Draft(
            "Run the tests with one command",
            f"One command runs every test and fails if one does: {test}.",
            priority="high",
            criteria=["The command is documented", "It fails when a test fails"],
            labels=["setup"],
        ),
        Draft(
            "Check style and types with one command",
            f"One command checks the code without running it: {check}.",
            criteria=["The command is documented"],
            labels=["setup"],
        ),
        Draft(
            "Agree on the rules",
            "Read .task/rules/standard_rules.md and add project-specific rules to workspace_rules.md.",
            priority="low",
            depends_on=[("#purpose", "blocks")],
            labels=["setup"],
        ),
    ]
    if requirements:
        drafts.append(planning_task(requirements)._replace(depends_on=[("#purpose", "blocks")]))
    return drafts
