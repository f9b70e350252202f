"""Git: repositories, objects, refs and remotes, through one hardened command and through git's own files."""
