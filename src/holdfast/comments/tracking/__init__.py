"""Tracks lines of code from one version of a file to another: pure functions, no I/O."""
