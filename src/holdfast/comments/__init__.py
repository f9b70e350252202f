"""Notes on code that stay with the code they were written for."""
