"""One module for each kind of file: how an entry is found in its text, put in and taken out."""
