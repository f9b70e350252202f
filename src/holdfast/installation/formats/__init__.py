"""Edits one entry of a configuration file, with a module for each file format; `entry` is their interface."""
