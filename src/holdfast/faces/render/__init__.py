"""Results and declarations as text, for the faces that print them."""
