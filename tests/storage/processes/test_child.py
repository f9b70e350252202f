"""Child processes end whatever comes in between."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from holdfast.storage.processes.child import end_group


def started() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)


def test_a_child_is_ended_though_an_interrupt_left_the_lock_of_its_status_taken() -> None:
    process = started()
    process._waitpid_lock.acquire()  # type: ignore[attr-defined]  # as Ctrl-C within `poll` leaves it
    ending = threading.Thread(target=end_group, args=(process,), daemon=True)
    ending.start()
    ending.join(60)
    assert not ending.is_alive()
    assert process.returncode == -9


def test_a_child_that_was_collected_before_its_status_was_noted_is_over() -> None:
    process = started()
    assert process.stdin is not None
    process.stdin.close()
    os.waitpid(process.pid, 0)
    end_group(process)
    assert process.returncode is not None
