"""Self-admitted technical debt: comments in which authors say that something is not as it should be.

What opens with a marker is certain. What a small linear model takes for debt is probable: `docs/accuracy.md`
says how often it is right, and results keep the two apart.
"""
