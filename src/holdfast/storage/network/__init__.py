"""The network: the services a person allowed, one HTTP client, and the tokens of our own clients."""
