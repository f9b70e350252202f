"""Pictures of a workspace: `figures` counts, `plots` draws shapes, `drawing` makes PNG or SVG of them."""
