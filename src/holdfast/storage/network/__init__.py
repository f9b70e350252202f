"""The network: allowed external services, the HTTP client for them, and access tokens for our own server."""
