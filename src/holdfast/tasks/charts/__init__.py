"""Pictures of a workspace: drawn once as shapes, then as PNG or SVG."""
