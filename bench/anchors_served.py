"""Where notes are after the server's own way: written into a repository, its history played on, read again.

    python -m bench.anchors_served [DATA_DIRECTORY]...

It is `bench.anchors --served`, kept as results of its own.
"""

from __future__ import annotations

import sys

from bench.anchors.__main__ import main

if __name__ == "__main__":
    sys.argv += ["--served", "--sums"]
    sys.exit(main())
