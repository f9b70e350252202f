"""What differs between two states of a repository: files, lines, words in lines, blocks that moved."""
