"""The settings of a quality gate: thresholds and switches, from arguments, a settings file or defaults.

Contract: an unreadable file, an unknown key or an invalid value is an error that names the file and the key.
Settings files are searched for in the project's folder and those above it; the nearest one applies.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool

from holdfast.analysis.dead_code.unused_code import Level
from holdfast.analysis.debt.marker import Severity
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import Invalid, InvalidArguments, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_toml
from holdfast.storage.files.repo_path import RepoPath, is_folder
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository

CheckName = Literal["complexity", "cognitive", "duplication", "coverage", "defects", "debt", "dead_code"]
_SETTINGS_FILES = (("pyproject.toml", ("tool", "holdfast")), (".holdfast.toml", ()))
"""The files that may contain a table `gate`, and its parent tables."""

Percent = Annotated[float | None, Field(ge=0, le=100, strict=True, allow_inf_nan=False)]
Number = Annotated[float | None, Field(ge=0, strict=True, allow_inf_nan=False)]


def _threshold(description: str, **options: Any) -> Any:
    return Field(default=None, description=description, **options)


class Thresholds(Input):
    """The thresholds of the checks; those that are not set come from the settings file or are the
    defaults."""

    complexity_threshold: Number = _threshold("Maximum cyclomatic complexity of a function; 10 if not set.")
    cognitive_threshold: Number = _threshold("Maximum cognitive complexity of a function; off if not set.")
    duplication_threshold: Percent = _threshold("Maximum percentage of lines that are copies; 5 if not set.")
    coverage_threshold: Percent = _threshold("Minimum percentage of lines that tests ran; 80 if not set.")
    defect_threshold: Number = _threshold("Maximum probability of a fix to a file; 0.3 if not set.", le=1)
    debt_threshold: Number = _threshold("Maximum number of severe debt items in comments; 0 if not set.")
    dead_code_threshold: Number = _threshold("Maximum number of dead code findings; 0 if not set.")


class Requests(Input):
    """What fails a check only on request, and is a warning otherwise; arguments and settings add up."""

    fail_on_predictions: StrictBool = Field(
        default=False, description="Let the probability of defects fail the gate; otherwise it only warns."
    )
    fail_on_tests: StrictBool = Field(
        default=False, description="Let tests, examples and documents fail checks as other code does."
    )


class GateSettings(Requests, Thresholds):
    """The content of a `gate` table in a settings file."""

    require_coverage: StrictBool = False
    debt_severity: Severity = "High"
    dead_code_confidence: Level = "high"
    disable: tuple[CheckName, ...] = ()
    exclude: tuple[str, ...] = ()

    def requesting(self, requests: Requests) -> GateSettings:
        """Return the settings with further requests."""
        requested = {name: True for name in Requests.model_fields if getattr(requests, name)}
        return self.model_copy(update=requested)


_DEFAULTS: dict[CheckName, float | None] = {
    "complexity": 10, "cognitive": None, "duplication": 5, "coverage": 80, "defects": 0.3, "debt": 0,
    "dead_code": 0,
}  # fmt: skip
"""Every check, in the order of results, with its default threshold; None means that it is off by default.
Conventions: 10 is McCabe's limit, the others are stated in docs/quality-gate.md."""


def active_thresholds(arguments: Thresholds, settings: GateSettings) -> dict[CheckName, float]:
    """Return the thresholds of the checks to run, from arguments, else settings, else defaults.

    A check that the settings disable runs only if an argument gives its threshold.
    """
    thresholds: dict[CheckName, float] = {}
    for check, default in _DEFAULTS.items():
        name = f"{check.removesuffix('s')}_threshold"  # defects: defect_threshold
        argument, setting = getattr(arguments, name), getattr(settings, name)
        if argument is not None:
            thresholds[check] = argument
        elif check not in settings.disable:
            threshold = default if setting is None else setting
            if threshold is not None:
                thresholds[check] = threshold
    return thresholds


def gate_settings(repository: Repository, project: str) -> tuple[GateSettings, str | None]:
    """Return the settings for a project and the file that has them; without a file the defaults and None."""
    tree = Tree(repository)
    start = project if is_folder(repository.root, project) else posixpath.dirname(project)
    for folder in _folders_up_to_root(start):
        tables = {}
        for name, parents in _SETTINGS_FILES:
            table = _read_gate_table(tree, f"{folder}{name}", parents)
            if table is not None:
                tables[f"{folder}{name}"] = table
        if len(tables) > 1:
            raise Invalid(
                f"Both {' and '.join(tables)} configure the gate.", hint="Keep one of the two tables."
            )
        for path, table in tables.items():
            return _validate(table, path), path
    return GateSettings(), None


def _folders_up_to_root(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, each with a slash at the end; the root is empty."""
    while folder:
        yield f"{folder}/"
        folder = posixpath.dirname(folder)
    yield ""


def _read_gate_table(tree: Tree, path: str, parents: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the table `gate` of a file, below its parent tables; None if there is no such file or table."""
    try:
        data = tree.read_bytes(RepoPath.parse(path), LIMITS.configuration_file_bytes)
    except NotFound:
        return None
    try:
        table: Any = parse_toml(data.decode("utf-8"))
    except (UnreadableDocument, UnicodeDecodeError) as problem:
        reason = problem if isinstance(problem, UnreadableDocument) else "it is not UTF-8"
        raise Invalid(f"The settings in {path} cannot be read: {reason}.", hint="Fix the file.") from None
    for name in (*parents, "gate"):
        unknown = sorted(table.keys() - {"gate"}) if name == "gate" else []
        if unknown:
            raise Invalid(f"`{unknown[0]}` in {path} is not a setting.", hint="The table is called `gate`.")
        table = table.get(name)
        if table is None:
            return None
        if not isinstance(table, dict):
            raise Invalid(
                f"`{name}` in {path} is not a table.", hint="Write the name of a table in brackets."
            )
    gate_table: dict[str, Any] = table
    return gate_table


def _validate(table: dict[str, Any], path: str) -> GateSettings:
    try:
        settings = validate_arguments(GateSettings, table)
    except InvalidArguments as problem:
        reason = problem.message.replace("argument ", "setting ")
        raise Invalid(f"The gate's settings in {path}: {reason}", hint=f"Fix {path}.") from None
    assert isinstance(settings, GateSettings)
    return settings
