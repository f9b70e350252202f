"""One module for each file format: finds an entry in the text, adds it and removes it."""
