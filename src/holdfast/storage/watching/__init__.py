"""Noticing change: inotify, polling, and listings of files that are cheap to ask again."""
