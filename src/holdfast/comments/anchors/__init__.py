"""Where comments are in the present text of their files, and where code went that is no longer there."""
