"""One analysis over many repositories: the roster, the run, cached results, and merged reports.

Contract: a repository that fails, or crashes its process, does not affect the others. The merged reports
depend on the repositories, the analysis and the day, not on the number or location of processes.
"""
