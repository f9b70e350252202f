"""What somebody does with a fresh install, run by the interpreter of that install: `journey.py REPOSITORY`.

It uses the standard library alone, prints what happened as JSON, and is meant to run without a network.
"""

from __future__ import annotations

import errno
import fcntl
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

PROGRAMS = Path(sys.executable).parent
REPOSITORY = Path(sys.argv[1])
CLIENT = {"name": "journey", "version": "1"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}


def command(*arguments: str) -> str:
    done = subprocess.run(arguments, cwd=REPOSITORY, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def bring_up_loopback() -> None:
    """A network name space begins with its loopback down."""
    SIOCSIFFLAGS, IFF_UP = 0x8914, 1  # noqa: N806
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        fcntl.ioctl(device, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def reach_outside() -> str:
    with socket.socket() as outside:
        outside.settimeout(5)
        return errno.errorcode.get(outside.connect_ex(("192.0.2.1", 80)), "answered")


def over_stdio() -> dict[str, object]:
    """Shake hands with the server, list its tools and call one."""
    server = subprocess.Popen(
        [PROGRAMS / "holdfast", "serve"],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None

    def ask(number: int, method: str, **parameters: object) -> dict[str, object]:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer["result"] if "result" in answer else sys.exit(f"{method}: {line}")
        sys.exit(f"the server ended at {method}")

    hello = ask(1, "initialize", **HELLO)
    server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    tools = ask(2, "tools/list")["tools"]
    arguments = {"filePath": "kelp/README.md", "line": 1, "text": "Says what it is", "tag": "NOTE"}
    added = ask(3, "tools/call", name="add_comment", arguments=arguments)
    server.stdin.close()
    return {
        "server": hello["serverInfo"]["name"],
        "tools": [tool["name"] for tool in tools],
        "added": added,
        "end": server.wait(60),
    }


def over_http() -> object:
    """Return the name with which the server answers over HTTP, asked where it says it listens."""
    listening = [PROGRAMS / "holdfast", "serve", "--http", "127.0.0.1:0"]
    with subprocess.Popen(listening, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            address = next(filter(None, (re.search(r"http://\S+/mcp", line) for line in server.stderr)))[0]
            threading.Thread(target=server.stderr.read, daemon=True).start()
            asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
            headers = {
                "Authorization": f"Bearer {(REPOSITORY / '.git/holdfast/token').read_text().strip()}",
                "Accept": "application/json, text/event-stream",
                "Content-Type": "application/json",
            }
            request = urllib.request.Request(address, json.dumps(asked).encode(), headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                [found] = re.findall(r"\{.*\}", answer.read().decode())
                return json.loads(found)["result"]["serverInfo"]["name"]
        finally:
            server.terminate()


if "--network" not in sys.argv:
    bring_up_loopback()
print(
    json.dumps(
        {
            "outside": "not tried" if "--network" in sys.argv else reach_outside(),
            "version": command(str(PROGRAMS / "holdfast"), "--version"),
            "mile": command("git", "mile", "list"),
            "scaffold": command("holdfast", "scaffold", "python-uv", "kelp", "--write", "kelp"),
            "analysis": json.loads(command("holdfast", "analyze", "complexity", "--json")),
            "stdio": over_stdio(),
            "http": over_http(),
        }
    )
)
