"""How much of each file test runs covered, read from the reports that they left behind."""
