"""Tests of the records: discovery, reading, cache, processes."""
