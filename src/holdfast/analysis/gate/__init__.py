"""The quality gate: its settings, its checks (`judges.py`), and their results (`check.py`)."""
