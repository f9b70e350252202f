"""What is kept of tasks, in one SQLite file or in PostgreSQL, and as readable files in `.task/`.

- Who holds it? `lease`, with fencing tokens; `session` says who acts and renews their claims.
- Who changes it? `creation`, `change` (optimistic locking by version), `attachment`; `gate` lets it be done.
- What waits for what? `dependencies`. What happened? `history`. Which tasks fit? `query`, in keyset pages;
  `census` knows how many there are in all.
- What is a row? `records`, `rows`, `states`, `schema`. Where is the workspace? `workspace`.
- What is in files? `rules`, `documents`; `step_texts` are in a table. What changed? `fingerprints`.
"""
