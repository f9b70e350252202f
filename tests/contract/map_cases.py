"""Arguments for the numbers of files and the picture of their imports."""

from __future__ import annotations

from tests.contract.case import Case

_FILES, _PICTURE = "measure_files", "draw_dependency_graph"

MAP_CASES = [
    Case(_FILES, ("analyze", "files"), {"project_path": "."}),
    Case(
        _FILES,
        ("analyze", "files", "src", "--measure", "duplication", "--limit", "1"),
        {"project_path": "src", "measure": "duplication", "limit": 1},
    ),
    Case(_FILES, ("analyze", "files", "--measure", "defects"), {"measure": "defects"}),
    Case(_FILES, ("analyze", "files", "--measure", "coverage"), {"measure": "coverage"}),
    Case(_FILES, ("analyze", "files", "--measure", "beauty"), {"measure": "beauty"}, "invalid_arguments"),
    Case(_FILES, ("analyze", "files", "--limit", "0"), {"limit": 0}, "invalid_arguments"),
    Case(_FILES, ("analyze", "files", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_FILES, ("analyze", "files", "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(_PICTURE, ("analyze", "picture"), {"project_path": "."}),
    Case(_PICTURE, ("analyze", "picture", "src", "--limit", "2"), {"project_path": "src", "limit": 2}),
    Case(_PICTURE, ("analyze", "picture", "--limit", "1"), {"limit": 1}, "invalid_arguments"),
    Case(_PICTURE, ("analyze", "picture", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_PICTURE, ("analyze", "picture", "../x"), {"project_path": "../x"}, "invalid_path"),
]

MAP_PLAIN_TEXT = {
    "DrawnGraph.files_skipped": "words of ours, with numbers",
    "FilesByMeasure.files_skipped": "words of ours, with numbers",
    "FilesByMeasure.method": "a sentence that stands in our code",
}
