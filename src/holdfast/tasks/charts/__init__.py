"""Charts of a workspace: `figures` queries data, `plots` lays out shapes, `picture` renders PNG or SVG."""
