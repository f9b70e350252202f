"""Templates: files of a new project, generated from parameters that are checked first.

- Which templates are there, and where do they come from? `catalogue`; `address` is what one is called.
- What is in a template's file? `definition`. What does a template take, and do values fit? `template`.
- How does a template become a file? `renderer`; `jinja` for ours, `confined_renderer` for everybody else's.
- How do several become a project? `scaffold`.
- What is offered? `tools/`, a module for each tool; `resources`, `prompts`.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
