"""The server of a repository with small limits.

python -m tests.faces.http.hasty_server REPOSITORY
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

from holdfast.faces.http import serve
from holdfast.faces.http.settings import HttpSettings, ListenAddress
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Selection
from holdfast.workspace import Workspace

if __name__ == "__main__":
    os.chdir(sys.argv[1])
    serve.LIMITS = replace(
        LIMITS,
        header_seconds=1.0,
        body_seconds=1.0,
        connections=100,
        request_burst=40,
        requests_per_second=5.0,
    )
    workspace = Workspace.discover(Path.cwd())
    serve.serve_http(
        workspace, Selection(), PROFILES["everything"], HttpSettings(ListenAddress("127.0.0.1", 0))
    )
