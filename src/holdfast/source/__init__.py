"""Read-only access to the source: the files of a repository, their lines, and diffs.

- `tools/`: the operations, one module each.
- `room`: the object that all of them receive, with the files and git objects of one repository.
- `diff/`: compares two states of the repository. `quick_open`: fuzzy search for files and symbols.
- `watched_files`: the changes that an open page follows.

Contract: only files that git tracks or would add are shown, and nothing outside the work tree. Source text is
returned as untrusted text.
"""
