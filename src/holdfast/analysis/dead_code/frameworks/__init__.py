"""What frameworks and languages call without a reference in the project's own code, as tables."""
