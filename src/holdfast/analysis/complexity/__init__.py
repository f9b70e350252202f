"""How complex functions are: in which languages, what is too much, what it adds up to, what got worse."""
