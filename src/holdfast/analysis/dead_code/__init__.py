"""Finds code that nothing uses, by mark and sweep.

The mark phase starts at the roots, where execution starts: entry points, tests, and code that a framework
calls by convention. It marks every definition that marked code refers to. Definitions that stay unmarked are
reported:

    def main(): load()       # a root, by its name
    def load(): ...          # marked: `main` uses it
    def save(): encode()     # unmarked: reported
    def encode(): ...        # used by `save` alone, so unmarked as well: reported

Names are matched without type inference, and an unmarked definition may still be used: by reflection, a
template or another project. Further mark rounds start from such weaker evidence. Definitions that only they
reach are reported with a lower confidence.

- `symbol_table.py`: every definition of a scan, and which definitions a name may refer to.
- `convention.py`, `conventions.toml`, `entry_points.py`, `roots.py`: where execution starts.
- `reachability.py`: the mark phase.
- `initial_values.py`: code that runs when a file is loaded.
- `doubt.py`, `evidence.py`, `text_references.py`, `public_api.py`: reasons why an unmarked definition may be
  alive.
- `unused_in_file.py`: unused imports, locals, parameters and unreachable statements, which need one file
  only.
- `detection.py`: the sweep. `unused_code.py`, `dead_code_report.py`: its results.
"""
