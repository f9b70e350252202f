"""Following lines of code from one version of a text to another: pure functions, no disk."""
