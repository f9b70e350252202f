"""The floor of the house: pure declarations and rules, no disk, no network, no protocol library.

- What does a room declare? `operation`, `resource`, `content`, `questions`; all of it together: `registry`
- How is it run? `dispatch`, one run: `call`; within which bounds: `limits`
- How does it fail? `errors`, `machine`; under which numbers: `codes`
- What do rooms share? `text`, `paging`, `untrusted`, `clock`, `cache`
"""
