"""How often a note is where people would have kept it: ours and the peers, on labelled data."""
