"""The ten names most like another one among 50,000, beside a product of their matrix with a vector.

No search by vectors can do without that product, which numpy does here in one thread. CPU seconds, the
fastest of several runs.

    python -m bench.name_search [--names 50000] [--check] [--save]
"""

from __future__ import annotations

import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # or the product would count threads that wait for each other

import numpy as np

from bench._comparison import amount
from bench._results import Results, arguments
from bench.names import fastest, made_up
from holdfast.analysis.names.ranking import ranking

MAX_TIMES = 20


def main() -> int:
    options = arguments(__doc__, names=50_000)
    known = made_up(options.names)
    matrix = np.random.default_rng(1).standard_normal(known.vectors.shape, dtype=np.float32)
    vector = matrix[0].copy()
    bare = fastest(lambda: matrix @ vector)
    results = Results("bench.name_search", f"{len(known.names):,} made-up names", {"NumPy": np.__version__})
    rows = []
    for label, phonetic in (("first ten", False), ("first ten, also by sound", True)):
        took = fastest(lambda: ranking(known, "calculateTotal", "all", 10, phonetic=phonetic))  # noqa: B023
        bar = results.bar(
            f"{label} of {len(known.names):,} names", took / bare, MAX_TIMES, against="matrix product"
        )
        rows.append((label, amount(bare), amount(took), took / bare, f"{MAX_TIMES} {bar.verdict}"))
    results.table("names", ("", "matrix product", "holdfast", "ratio", "bar"), rows)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
