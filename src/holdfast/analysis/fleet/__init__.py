"""One analysis over many repositories: the list of them, the run, what is kept, and the merged reports.

Contract: one repository that fails, or ends its process, costs no other. What is merged follows from the
repositories, the analysis and the day, and not from how many processes there were or where they ran.
"""
