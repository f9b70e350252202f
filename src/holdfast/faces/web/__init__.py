"""The page: static files of this package, which a browser shows with what it asks of `/api/`.

- `site.py` serves the files and the one HTML document that stands behind every view's address.
- `markdown.py` renders what people wrote; `bundle.py` puts a view into one document for hosts that show it.
- `static/` is the page itself: `index.html`, `style.css`, ES modules, and a module for each view in `views/`.
"""
