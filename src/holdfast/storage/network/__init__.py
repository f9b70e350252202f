"""The network: addresses a person allowed, one HTTP client, and the tokens of those who call us."""
