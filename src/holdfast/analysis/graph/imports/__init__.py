"""Import resolution: which file of the project an import means, by language rules and project settings."""
