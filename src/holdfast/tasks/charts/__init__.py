"""Pictures of a workspace: `figures` counts, `plots` draws shapes, `picture` makes PNG or SVG of them."""
