"""Stands between a client and the server it starts, and keeps what each of them wrote.

    python recorder.py FOLDER COMMAND [ARGUMENT ...]

Each run writes a file of its own, for some clients start a server twice. A line is `client`, `server`
or `ended`, a space, and the message as it was on the wire or the server's exit status.
"""

import os
import signal
import subprocess
import sys
import threading


def main(folder: str, *command: str) -> None:
    record = os.open(os.path.join(folder, str(os.getpid())), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())

    def pass_on(who: bytes, source, target) -> None:
        for line in source:
            os.write(record, who + b" " + line)
            target.write(line)
            target.flush()
        target.close()

    threading.Thread(target=pass_on, args=(b"client", sys.stdin.buffer, server.stdin), daemon=True).start()
    pass_on(b"server", server.stdout, sys.stdout.buffer)
    status = server.wait()
    os.write(record, b"ended %d\n" % status)
    # The thread may still wait for a client that has nothing more to say.
    os._exit(status)


main(*sys.argv[1:])
