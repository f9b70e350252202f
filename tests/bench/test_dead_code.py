"""The pieces that the bench of dead code puts into trees, in small ones: each is judged as it is labelled."""

from __future__ import annotations

import pytest
from bench.dead_code import Tree, injected

TREES = {
    "python": {f"kelp/{name}.py": f"import os\n\n\ndef use_{name}():\n    return os.name\n\n\nuse_{name}()\n"
               "\n\nclass Base:\n    def __init__(self):\n        self.x = 1\n\n\nBase()\n" for name in "ab"}
    | {"kelp/__init__.py": "", "pyproject.toml": '[build-system]\n[project]\nname = "kelp"\n'},
    "typescript": {f"src/{name}.ts": 'import { join } from "node:path";\n\njoin("a");\n' for name in "ab"}
    | {"package.json": '{"main": "dist/index.js"}'},
    "go": {f"lib/{name}.go": f"package lib\n\nfunc Use{name}() int {{\n\treturn 1\n}}\n" for name in "ab"},
    "rust": {"src/lib.rs": "use std::fmt;\n\npub fn shown(x: &dyn fmt::Debug) {}\n"},
    "java": {f"src/main/java/k/{name}.java": "package k;\n\nimport java.util.List;\n\n"
             f"public class {name} {{\n    List<String> all;\n}}\n" for name in "AB"},
}  # fmt: skip


@pytest.mark.parametrize("language", TREES)
def test_every_piece_is_judged_as_it_is_labelled(language: str) -> None:
    tree = Tree(dict(TREES[language])).read(list(TREES[language]))

    score, _ = injected(tree, [language], 1, seed=3)

    assert len(tree.labels) > 20
    assert score.alarms == 0, score.wrong
    assert score.f1 >= 0.9, score.wrong
