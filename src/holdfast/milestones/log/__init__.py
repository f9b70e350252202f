"""The log: an operation-based CRDT whose operations are commits in git refs, one ref for each clone.

`entry` is one operation and its line of JSON, `fold` computes the state (multi-value registers, add-wins
sets, leases), `operation_builder` creates the operations of a request, `actor` names who made them, and
`clone_log` is this clone's own ref.
"""
