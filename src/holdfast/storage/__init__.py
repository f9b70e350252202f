"""The only code that touches disk, git or a database."""
