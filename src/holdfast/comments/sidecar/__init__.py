"""The file `<source>.comments`: its form, the comments in it, and how it is changed without loss."""
