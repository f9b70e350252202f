"""GitHub: its issues and pull requests, and what they mean for tasks."""
