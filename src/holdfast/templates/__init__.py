"""Templates: files of a new project, generated from parameters that are checked first.

- `catalogue` finds templates by `address`.
- `definition` is the file format; `template` validates parameters.
- `renderer` renders a file: built-in templates with `jinja`, all others in a process of `confined_renderer`.
- `scaffold` generates several files as a project.
- `tools/`, `resources` and `prompts` declare the operations. Importing the package loads none of them.
"""
