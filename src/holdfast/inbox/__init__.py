"""The inbox: review remarks on their way from a person to an agent, and the agent's answers.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
