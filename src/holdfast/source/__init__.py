"""The source itself, to be looked at: the files of a repository and their lines. Nothing here writes.

- `tools/`: the operations, one module each.
- What is shared: `room`, one repository with its files and git's objects.
- Where may somebody who types a few letters want to go? `jumps`.

Contract: what is offered is what git tracks or would add, and nothing outside of the work tree. Source text
is what somebody wrote: it leaves as untrusted text.
"""
