"""The page: static files that a browser shows, with data from `/api/`.

- `site.py` serves the files, and the one HTML document of all views.
- `markdown.py` renders Markdown; `bundle.py` combines the scripts of a view for MCP hosts that show it as an
  app.
- `static/` is the page itself: `index.html`, `style.css`, ES modules, and a module for each view in `views/`.
"""
