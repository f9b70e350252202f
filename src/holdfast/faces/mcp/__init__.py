"""The Model Context Protocol face: the registry as tools, resources and prompts."""
