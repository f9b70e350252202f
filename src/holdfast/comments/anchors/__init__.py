"""Locates comments in the current text of their files, and finds the file that code moved to.

A comment is stored with evidence: the id of the version it was written for, its line there, and a few lines
of context. The anchor is found again by tracking that line from that version to the current text.

Example: a comment is written on line 2 of `auth.py`, `if not user:`. Later an import is inserted above and
the condition becomes `if user is None:`. `plan` reads the evidence and builds a version chain (old text,
committed revisions, current text); `tracking` aligns the texts and answers line 4 with high confidence; the
comment is shown on line 4, and `scan` writes that line into the sidecar. If the function moves to `login.py`
instead, `moved_code` shows the comment there; if it is deleted, the comment becomes an orphan, and `orphans`
offers candidates.

- `plan`: which comments need tracking, and through which versions; `foreign_notes`: comments that another
  program wrote; `version_chain`: the versions in between
- `scan`: updates all sidecars of a work tree; `tracking_pool`: its worker processes; `cache`: known locations
- `lost_code`: comments whose code left their file; `moved_code`: the files it moved to; `orphans`: candidates
  for people to choose from; `uncertain`: the comments to choose for
- `snippets`: lines of code around a comment
"""
