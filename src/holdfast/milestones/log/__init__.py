"""The log: an operation-based CRDT whose operations are commits in git refs, one ref for each clone.

`entry` is one operation and its line of JSON, `fold` makes a state of them (multi-value registers, add-wins
sets, leases), `operation_builder` writes down what a request does, and `clone_log` is this clone's own ref.
"""
