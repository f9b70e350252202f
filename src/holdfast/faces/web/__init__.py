"""The page: static files of this package, which a browser shows with what it asks of `/api/`.

- `site.py` serves the files and the one HTML document that stands behind every view's address.
- `static/` is the page itself: `index.html`, `style.css`, ES modules, and a module for each view in `views/`.
"""
