"""The search for likely clones on a processor and on a GPU: the same pairs, and how long each takes.

    PYTHONPATH=src python -m bench.gpu [--counts 10000 100000 1000000] [--save]

Functions are made up: 60 to 140 tokens from a vocabulary in which few words are frequent; every fourth one is
the one before it with a part of its tokens changed. Needs NumPy and CuPy; nothing else.
The processor's side is one thread. What starting CUDA and compiling its kernels take is told apart. The pairs
of both sides are compared; a difference ends this with an error. For the smallest number of functions every
pair is compared as well, which tells how many of those that agree the hashing finds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench._comparison import amount
from bench._results import Results, absent, parser
from holdfast.analysis.duplicates import sketch
from holdfast.analysis.duplicates.array_module import choose_array_module
from holdfast.analysis.duplicates.sketch import Pieces

SHORTEST, LONGEST = 60, 140
VOCABULARY, SIGNS = 50_000, 60
CHANGED = (0.02, 0.35)
BLOCK = 64
Row = tuple[int, str, str, str, float]
STEPS = ("sketches", "hashing", "agreement", "shared tokens")


def made_up(count: int, seed: int = 1) -> Pieces:
    """Return so many functions, the same ones for the same seed."""
    random = np.random.default_rng(seed)
    lengths = random.integers(SHORTEST, LONGEST, count)
    copies = np.arange(3, count, 4)
    lengths[copies] = lengths[copies - 1]
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    # Half of the tokens are signs and keywords; names and values are the rarer, the larger their number.
    exact = (random.random(starts[-1]) ** 4 * VOCABULARY).astype(np.uint32) + np.uint32(SIGNS)
    signs = random.random(starts[-1]) < 0.5
    exact[signs] = (random.random(int(signs.sum())) ** 2 * SIGNS).astype(np.uint32)
    of_copies = np.repeat(np.isin(np.arange(count), copies), lengths)
    share = np.repeat(random.uniform(*CHANGED, count), lengths)
    kept = np.flatnonzero(of_copies & (random.random(starts[-1]) >= share))
    exact[kept] = exact[kept - np.repeat(lengths, lengths)[kept]]
    exact *= np.uint32(0x9E3779B1)
    blind = np.where(exact * np.uint32(pow(0x9E3779B1, -1, 2**32)) < SIGNS, exact, np.uint32(2))
    return Pieces(exact, blind, starts)


def measured(pieces: Pieces, arrays: Any) -> tuple[list[float], tuple[Any, ...]]:
    """Return the seconds of each step, and the pairs."""
    times: list[float] = []

    def timed(step: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = step()
        if arrays is not np:
            arrays.cuda.Stream.null.synchronize()
        times.append(time.perf_counter() - start)
        return result

    sketches = timed(lambda: sketch.minhash_sketches(pieces, arrays))
    codes = timed(lambda: sketch.candidate_pairs(sketches, arrays))
    agreed = timed(lambda: sketch.select_similar(sketches, codes, arrays))
    first, second = agreed // len(pieces), agreed % len(pieces)
    shared = timed(lambda: sketch.max_shared_tokens(pieces, first, second, arrays))
    return times, tuple(sketch.to_numpy(values, arrays) for values in (sketches, codes, agreed, shared))


def all_pairs(sketches: Any, arrays: Any) -> Any:
    """Return every pair whose sketches agree, found without hashing."""
    found = []
    count = len(sketches)
    for start in range(0, count, BLOCK):
        rows = sketches[start : start + BLOCK]
        equal = arrays.zeros((len(rows), count), dtype=np.int32)
        for number in range(sketch.HASHES):
            equal += rows[:, number, None] == sketches[None, :, number]
        one, other = arrays.nonzero(equal >= sketch.MIN_EQUAL_HASHES)
        is_pair = one + start < other
        found.append((one[is_pair] + start) * count + other[is_pair])
    return arrays.concatenate(found)


def compared(results: Results, rows: list[Row], count: int, gpu: Any, every_pair: bool) -> None:
    """Measure one number of functions."""
    pieces = made_up(count)
    cpu_times, cpu_found = measured(pieces, np)
    gpu_times, gpu_found = measured(pieces, gpu)
    for name, ours, theirs in zip(STEPS, cpu_found, gpu_found, strict=True):
        if not np.array_equal(ours, theirs):
            raise SystemExit(f"{count} functions: the {name} differ between processor and GPU.")
    for number, name in enumerate(STEPS):
        rows.append(row(count, name, cpu_times[number], gpu_times[number]))
    rows.append(row(count, "all of it", sum(cpu_times), sum(gpu_times)))
    if every_pair:
        start = time.perf_counter()
        pairs = all_pairs(np.asfortranarray(cpu_found[0]), np)
        between = time.perf_counter()
        theirs = sketch.to_numpy(all_pairs(gpu.asfortranarray(gpu.asarray(cpu_found[0])), gpu), gpu)
        cpu_time, gpu_time = between - start, time.perf_counter() - between
        if not np.array_equal(pairs, theirs):
            raise SystemExit("All pairs: processor and GPU differ.")
        rows.append(row(count, "every pair, without hashing", cpu_time, gpu_time))
        found = np.isin(pairs, cpu_found[2]).mean() if len(pairs) else 1.0
        results.corpus = f"{results.corpus}; hashing finds {found:.1%} of the pairs whose sketches agree"


def row(count: int, name: str, cpu: float, gpu: float) -> Row:
    """Return one row of the table, printed as soon as it is known."""
    print(f"{count:>9,}  {name:<28}{cpu:10.3f}{gpu:10.3f} {cpu / gpu:8.1f}", flush=True)
    return count, name, amount(cpu), amount(gpu), cpu / gpu


def main() -> None:
    """Measure and print."""
    given = parser(__doc__)
    given.add_argument("--counts", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    options = given.parse_args()
    start = time.perf_counter()
    gpu, use = choose_array_module(True)
    if not use.used:
        sys.exit(absent(f"a GPU ({use.reason})"))
    found = time.perf_counter()
    measured(made_up(1000), gpu)
    started = f"starting CUDA took {found - start:.1f} s, its kernels {time.perf_counter() - found:.1f} s"
    corpus = f"Made-up functions of {SHORTEST} to {LONGEST} tokens on one {use.device}; {started}"
    results = Results("bench.gpu", corpus, {"CuPy": gpu.__version__, "NumPy": np.__version__})
    rows: list[Row] = []
    for count in options.counts:
        compared(results, rows, count, gpu, every_pair=count == min(options.counts))
    results.table("pairs", ("functions", "step", "processor", "GPU", "times"), rows)
    sys.exit(results.finish(options))


if __name__ == "__main__":
    main()
