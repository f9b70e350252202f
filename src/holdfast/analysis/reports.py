"""The report of each analysis for a scope, for the combined documents, the gate and the map of files."""

from __future__ import annotations

from holdfast.analysis.churn.churn_report import ChurnReport
from holdfast.analysis.churn.recent_churn import recent_churn
from holdfast.analysis.complexity.complexity_report import ComplexityReport, complexity_report
from holdfast.analysis.complexity.function_complexity import ComplexityCounting
from holdfast.analysis.coverage.coverage_report import CoverageReport, coverage_of
from holdfast.analysis.dead_code.dead_code_report import DeadCodeReport, dead_code_report
from holdfast.analysis.debt.debt_report import DebtReport, debt_report
from holdfast.analysis.defects.defect_report import DefectReport
from holdfast.analysis.defects.prediction import cached_predictions
from holdfast.analysis.duplicates.clone import COPIES
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.duplicates.clones import project_clones
from holdfast.analysis.engine.scope import AnalysisScope
from holdfast.analysis.graph.dependency_graph import DagType
from holdfast.analysis.graph.graph_report import GraphReport, graph_report
from holdfast.kernel.errors import Unavailable
from holdfast.storage.files.work_tree import Tree


def complexity(scope: AnalysisScope) -> ComplexityReport:
    """Report on the complexity of functions."""
    if scope.base is not None:
        return complexity_report(scope.scan.files, scope.base)
    return scope.room.cached("complexity", scope.scan, lambda: _complexity(scope))


def _complexity(scope: AnalysisScope) -> ComplexityReport:
    by_file = scope.room.cached_by_file("functions", scope.scan, ComplexityCounting().measure_file)
    functions = [function for measured in by_file.values() for function in measured]
    return ComplexityReport(scope.scan.files, functions, counted=functions)


def churn(scope: AnalysisScope) -> ChurnReport:
    """Report on the changes in the period that the options request."""
    scope.require_git()
    return recent_churn(scope.room, scope.scan, scope.project.path, scope.options.period_days)


def churn_after_a_commit(scope: AnalysisScope) -> ChurnReport:
    """Report on the changes in the period; raise if there is no commit."""
    report = churn(scope)
    if not report.has_history:
        raise Unavailable("There is no commit yet, so there is no churn.")
    return report


def dependencies(scope: AnalysisScope, dag_type: DagType = "import-graph") -> GraphReport:
    """Report on the dependencies between files or definitions."""
    return graph_report(scope.room, scope.scan, dag_type)


def dead_code(scope: AnalysisScope) -> DeadCodeReport:
    """Report on code that nothing in the whole repository uses."""
    return dead_code_report(scope.room, scope.repository, scope.scan.files.keys(), scope.base)


def debt(scope: AnalysisScope, *, probable: bool = False) -> DebtReport:
    """Report on the technical debt that comments admit."""
    return debt_report(scope.room, scope.scan, scope.base, probable=probable)


def defects(scope: AnalysisScope) -> DefectReport:
    """Report on the files that are likely to need a fix."""
    scope.require_git()
    return cached_predictions(scope.room, scope.project, scope.scan)


def duplicates(scope: AnalysisScope) -> CloneReport:
    """Report on exact and renamed clones; their lines are the duplication of every view."""
    tokens = scope.room.scan_tokens(scope.project, stats=scope.scan.stats)
    return project_clones(scope.room, tokens, scope.project, COPIES)


def coverage(scope: AnalysisScope) -> CoverageReport:
    """Report on the test coverage."""
    repository = scope.room.repository
    return coverage_of(Tree(repository), repository.root, scope.project.path, scope.scan.files.keys())
