"""Identifiers: their words, similarity of spelling, sound and meaning, and naming quality."""
