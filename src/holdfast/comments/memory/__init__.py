"""Memories: notes about a symbol, some lines, a file, a folder or the whole repository.

- `record.py`: what a comment stores about itself as a memory; `memory_writer.py` writes it.
- `subject.py`: what `--about` names. `surroundings.py`: what memories need to know of the other rooms.
- `verdict.py`: what became of the code. Pure functions.
- `word_index.py`: the index of words. `ranking.py`: which memories answer a question. `recollection.py`:
  reads them with their verdicts. `results.py`: how they are shown.
- `imports.py`: memories from Markdown lists and from beads.

A memory about code in a file is a comment of that file's sidecar, so it follows the code. The others are in
`.holdfast.comments`, a document of the same format for the whole repository.
"""
