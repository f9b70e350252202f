"""Which file of the project an import means, by the rules of its language and the settings of the project."""
