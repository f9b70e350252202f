"""What each file says: discovered as git would, read once, cached by content, shared by every analysis."""
