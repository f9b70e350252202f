"""The scan of a project's files, its cache, and running several analyses over one scan.

- `scan.py`: what a scan returns; `scanner.py` makes it, `scan_in_progress.py` is its state meanwhile.
  `discovery.py` chooses the files, `file_reader.py` and `source_text.py` read them.
- `product.py`: the product that is computed from a file and cached: a record or
  tokens (`token_stream.py`).
- `record_cache.py`, `product_memory.py`: products on disk and in memory, by content. `code_version.py`
  invalidates them.
- `base_commit.py`: the commit that the work tree is compared with.
- `analysis_report.py`, `code_finding.py`: what every analysis returns.
- `scope.py`, `analysis_run.py`, `stages.py`, `measurements.py`, `duration.py`: running several of them, and
  combining their reports.
"""
