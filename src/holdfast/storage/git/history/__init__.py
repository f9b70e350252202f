"""The past of files and lines, read from git's objects and logs: no command here reads the work tree."""
