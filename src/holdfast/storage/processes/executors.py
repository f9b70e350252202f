"""Where work that is spread runs: in processes of this machine, or on a Dask cluster, by one interface.

A slot is an executor of the standard library that is given one task at a time. Here each has a process of its
own, so that one that dies takes no other task with it.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

from holdfast.kernel.errors import InvalidArguments, Unavailable
from holdfast.storage.processes.child import cores, end_own_processes, own_process

PROCESSES = "process"
DASK = "dask://"
_CONNECT_SECONDS = 10


class LocalProcesses:
    """Processes of this machine."""

    retries = True
    """Whether a task whose process died is to be tried again, or was by what runs it."""

    def __init__(self, count: int | None) -> None:
        self.slots = [own_process() for _ in range(count or cores())]

    def renewed(self, slot: Executor) -> Executor:
        """Return a new process for one that died."""
        slot.shutdown(wait=False)
        place = self.slots.index(slot)
        self.slots[place] = own_process()
        return self.slots[place]

    def close(self) -> None:
        """End the processes."""
        for slot in self.slots:
            slot.shutdown(wait=False, cancel_futures=True)
        end_own_processes()


class DaskCluster:
    """The workers of a cluster. Its scheduler gives a task to others where a worker dies, so we do not."""

    retries = False

    def __init__(self, address: str, count: int | None) -> None:
        client = _client_class()
        try:
            self._client: Any = client(f"tcp://{address}", timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError):  # ours to name: what the library says has parts of the machine in it
            raise Unavailable(
                f"No Dask scheduler answers at {address}.", hint="Check that it runs, and its address."
            ) from None
        executor: Executor = self._client.get_executor(pure=False)
        threads: int = sum(self._client.nthreads().values())
        self.slots = [executor] * (count or max(1, threads))

    def renewed(self, slot: Executor) -> Executor:
        """Return the cluster: it mends itself."""
        return slot

    def close(self) -> None:
        """Leave the cluster, and take back what it has not begun."""
        self.slots[0].shutdown(wait=False)  # which takes them back
        self._client.close()


def _client_class() -> Any:
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise Unavailable(
            "A Dask cluster needs the library distributed, which is not installed.",
            hint="Install it with: pip install 'holdfast[cluster]'. Or use the executor process.",
        ) from None
    return Client


Executors = LocalProcesses | DaskCluster


def executors(where: str, count: int | None) -> Executors:
    """Return the executors that a text names: `process`, or `dask://HOST:PORT`."""
    if where == PROCESSES:
        return LocalProcesses(count)
    address = where.removeprefix(DASK)
    if address == where or not address.rpartition(":")[2].isdecimal() or "/" in address:
        raise InvalidArguments(
            f'"{where}" is no executor.', hint=f"Give {PROCESSES}, or {DASK}HOST:PORT of a scheduler."
        )
    return DaskCluster(address, count)
