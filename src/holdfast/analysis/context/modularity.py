"""How modular a project is: how few of its files a change to one of them can affect."""

from __future__ import annotations

from holdfast.analysis.engine.analysis_report import ImportGraph


def modularity_score(graph: ImportGraph) -> float | None:
    """Return 100 minus the propagation cost; None if there are no pairs of files.

    MacCormack, Rusnak and Baldwin, "Exploring the Structure of Complex Software Designs" (2006).
    """
    count = len(graph.edges)
    if count < 2:
        return None
    connected_pairs = sum(files.bit_count() - 1 for files in _reachable_files(graph))
    return round(100 * (1 - connected_pairs / (count * (count - 1))), 1)


def _reachable_files(graph: ImportGraph) -> list[int]:
    """Return the transitive closure: for each file a bit set of the files that it imports, directly or
    indirectly, itself included."""
    indexes = {path: index for index, path in enumerate(graph.edges)}
    imports = [
        [indexes[target] for target in targets if target in indexes] for targets in graph.edges.values()
    ]
    reachable = [1 << index for index in range(len(imports))]
    changed = True
    while changed:  # at most once per file of the longest chain, and usually far less often
        changed = False
        for index in reversed(range(len(reachable))):
            files = reachable[index]
            for target in imports[index]:
                files |= reachable[target]
            if files != reachable[index]:
                reachable[index], changed = files, True
    return reachable
