"""The `<source>.comments` files: their format, their comments, and changing them without loss."""
