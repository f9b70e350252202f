"""Merges two versions of a sidecar, so that the comments of two branches never conflict.

- `json_merge`: three-way merge of JSON values; `three_way`: its rules for the parts of a sidecar.
- `conflicts`: files with git's conflict markers; `recovery`: finds such files and repairs them.
- `git_settings`: the configuration that makes git call the merge.
"""
