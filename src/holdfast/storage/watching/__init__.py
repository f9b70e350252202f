"""Change notification: inotify, FSEvents and polling, and listings of files that are cheap to refresh."""
