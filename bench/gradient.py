"""Whether the technical debt gradient orders files as well as size does, and whether grades spread.

    python -m bench.gradient [--scratch FOLDER] [REPOSITORY]...

REPOSITORY is a clone with its whole history, none of `TUNED_ON`; `HOLDFAST_HISTORIES` names them too. Each is
cloned, and its files are graded as of one and two years before its last commit, by the history that there was
then. The label is whether a commit that fixes something changed the file in the year after. The figure is the
area under the ROC curve, of the gradient and of the lines of code. As of the last commit the shares of the
levels and the health of each repository are shown. Files of fewer than ten lines of code are not graded.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean

from scripts.train_defects import fixed_after, git

from bench._peers import folders
from bench._results import Results, absent, parser
from holdfast.analysis.comprehensive.components import ReportLimits
from holdfast.analysis.comprehensive.gradient import PERIOD_DAYS, Gradient, gradients, project_gradient
from holdfast.analysis.context.scorecard import scorecard
from holdfast.analysis.context.sections import deep_context_components
from holdfast.analysis.defects.activity import YEAR_DAYS
from holdfast.analysis.defects.logistic import area_under_curve
from holdfast.analysis.engine.analysis_run import run_analyses
from holdfast.analysis.engine.measurements import ProjectMeasurements
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.engine.scope import RunOptions
from holdfast.analysis.room import Analysis
from holdfast.kernel.clock import DAY_SECONDS
from holdfast.storage.git.repository import Repository

TUNED_ON = (
    "flask", "gin", "jsoup", "bat", "express", "celery", "zod", "caddy", "lazygit", "jinja", "ripgrep",
    "pytest", "commons-lang", "vite", "core", "okhttp",
)  # fmt: skip
"""By the names of their folders; `core` is vuejs/core."""
CORPUS = "Ten repositories on which nothing was tuned"
YEARS_BACK = (1, 2)
MIN_LINES = 10
FEWEST = 5
"""Years in which fewer files were fixed are not evaluated; a judgement."""
COMPONENTS = ("complexity", "debt", "churn")
LEVELS = ("critical", "warning", "normal")
ORDER = ("repository", "years back", "files", "fixed", "size", "gradient")
SPREAD = ("repository", "files", "% critical", "% warning", "% normal", "of the project", "overall health")


def name_of(source: Path) -> str:
    """Return the name of the repository in a folder, without that of its owner."""
    return (source.parent if source.name == "repo" else source).name.rpartition("+")[2]


def graded(room: Analysis) -> tuple[ProjectMeasurements, dict[str, Gradient]]:
    """Return the measurements of the checked-out files, and their grades."""
    limits = ReportLimits(confidence=0.5, min_lines=MIN_LINES, limit=1, brief=True)
    components = {name: part for name, part in limits.components().items() if name in COMPONENTS}
    run = run_analyses(room, RunOptions(Project(), concurrent=False, period_days=PERIOD_DAYS), components)
    assert not run.failures, run.failures
    return run.measured, gradients(run.measured, MIN_LINES)


def health(room: Analysis) -> float | None:
    """Return the overall health that the deep context shows."""
    components = deep_context_components(1, "import-graph")
    wanted = {name: components[name] for name in ("complexity", "churn", "dag")}
    run = run_analyses(room, RunOptions(Project(), concurrent=False), wanted)
    return scorecard(run.measured, None).overall_health


def order(clone: Path, last: str, back: int) -> tuple[int, int, float, float] | None:
    """Return the numbers of files and of fixed ones, and the areas of size and of the gradient."""
    end = int(git(clone, "log", "-1", "--format=%ct", last)) - back * YEAR_DAYS * DAY_SECONDS
    commit = git(clone, "rev-list", "-1", f"--before={end}", last).strip()
    git(clone, "checkout", "-q", "--force", commit)
    repository = Repository.at(clone)
    room = Analysis(repository)
    try:
        measured, grades = graded(room)
        time = room.history.head_time() or end
        git(clone, "checkout", "-q", "--force", last)
        fixed = fixed_after(room, repository, time)
    finally:
        room.close()
    labels = [path in fixed for path in grades]
    if not FEWEST <= sum(labels) <= len(labels) - FEWEST:
        return None
    sizes = [float(measured.files[path].code_lines) for path in grades]
    scores = [grade.score or 0.0 for grade in grades.values()]
    by_size, by_gradient = (area_under_curve(values, labels) or 0.0 for values in (sizes, scores))
    return len(labels), sum(labels), by_size, by_gradient


def spread(clone: Path) -> tuple[int, list[float], float | None, float | None]:
    """Return the number of graded files, the share of each level, the project's gradient and its health."""
    room = Analysis(Repository.at(clone))
    try:
        measured, grades = graded(room)
        levels = [grade.level for grade in grades.values()]
        shares = [levels.count(level) / len(levels) for level in LEVELS]
        return len(levels), shares, project_gradient(measured, grades).score, health(room)
    finally:
        room.close()


def measure(results: Results, scratch: Path, sources: list[Path]) -> None:
    """Add the tables and bars."""
    orders: list[tuple[str | float, ...]] = []
    spreads: list[tuple[str | float | None, ...]] = []
    gains, normal, healths = [], [], []
    for source in sources:
        name, clone = name_of(source), scratch / name_of(source)
        if not clone.exists():
            subprocess.run(("git", "clone", "-q", "--shared", source, clone), check=True)
        last = git(clone, "rev-parse", "origin/HEAD").strip()
        git(clone, "checkout", "-q", "--force", last)
        files, shares, score, healthy = spread(clone)
        spreads.append((name, files, *(f"{share:.0%}"[:-1] for share in shares), score, healthy))
        normal.append(100 * shares[-1])
        healths += [] if healthy is None else [healthy]
        for back in YEARS_BACK:
            if found := order(clone, last, back):
                count, fixed, by_size, by_gradient = found
                gains.append(by_gradient - by_size)
                orders.append((name, back, count, fixed, f"{by_size:.3f}", f"{by_gradient:.3f}"))
        print(*spreads[-1], file=sys.stderr, flush=True)
    results.table("order", ORDER, orders)
    results.table("levels", SPREAD, spreads)
    rows = [(sum(gain >= 0 for gain in gains), len(gains), f"{fmean(gains):+.3f}", f"{min(gains):+.3f}")]
    results.table(
        "sums", ("rows in which the gradient is not below size", "of", "mean difference", "least"), rows
    )
    beside = {"against": "order by size", "better": "higher"}
    results.bar("gradient: mean area above that of size", fmean(gains), 0, **beside)
    results.bar("gradient: mean % of normal files", fmean(normal), 80)
    results.bar("overall health: highest minus lowest", max(healths) - min(healths), 20, better="higher")


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("repositories", type=Path, nargs="*", default=folders("HOLDFAST_HISTORIES"))
    arguments.add_argument("--scratch", type=Path, help="where the clones are kept")
    options = arguments.parse_args()
    if not options.repositories:
        return absent("repositories with their history (HOLDFAST_HISTORIES)")
    results = Results("bench.gradient", CORPUS)
    with tempfile.TemporaryDirectory() as folder:
        sources = [source for source in options.repositories if name_of(source) not in TUNED_ON]
        measure(results, options.scratch or Path(folder), sources)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
