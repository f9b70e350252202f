"""The program of a worker process: see `worker.py`."""

from holdfast.storage.processes.worker import main

if __name__ == "__main__":
    main()
