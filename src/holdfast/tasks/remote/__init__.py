"""Other trackers: what they have in common, and how tasks are kept in step with them."""
