"""The `<source>.comments` files: their format, their comments, and changing them without loss.

- `document` reads and writes the format, in the JSON of `javascript_json`; `note` is one comment of it,
  `marker` its place and the evidence for it.
- `source`: the source file that a sidecar belongs to.
- `files` changes sidecars on disk; `archive` records what was written, and `lost_updates` compares with it.
"""
