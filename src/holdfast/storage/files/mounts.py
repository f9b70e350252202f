"""The type of the file system that a path is on, from the kernel's mount table."""

from __future__ import annotations

import os
import re
from operator import itemgetter

from holdfast.storage.files.directories import StrPath

_MOUNT_TABLE = "/proc/self/mountinfo"
_NETWORK_TYPES = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs"}
    | {"nfs", "nfs4", "ocfs2", "prl_fs", "smb3", "smbfs", "vboxsf"}
)
"""File systems whose files are on other machines, or on the host of a virtual machine."""
_NETWORK_FUSE = frozenset({"ceph", "davfs", "gcsfuse", "glusterfs", "rclone", "s3fs", "smbnetfs", "sshfs"})
"""Programs that provide such a file system through FUSE; the table then has the type `fuse.<program>`."""


def is_network_filesystem(path: StrPath) -> bool:
    """Return whether `path` is on a network file system, where locks and write-ahead logs are unreliable.

    False if the mount table cannot be read, as on other systems than Linux.
    """
    kind, _, program = filesystem_type(path).partition(".")
    return kind in _NETWORK_TYPES or (kind == "fuse" and program in _NETWORK_FUSE)


def filesystem_type(path: StrPath, mount_table: str = _MOUNT_TABLE) -> str:
    """Return the type of the file system of `path`, or an empty text if it is unknown."""
    target = os.path.realpath(path)
    try:
        with open(mount_table, encoding="utf-8", errors="surrogateescape") as table:
            mounts = [mount for line in table if (mount := _parse_mount(line)) is not None]
    except OSError:
        return ""
    containing = [
        (len(mount_point), filesystem)
        for mount_point, filesystem in mounts
        if mount_point in ("/", target) or target.startswith(f"{mount_point}/")
    ]
    # The innermost mount; of mounts at the same point, the last one hides the others.
    return max(reversed(containing), key=itemgetter(0))[1] if containing else ""


def _parse_mount(line: str) -> tuple[str, str] | None:
    """Return the mount point and the type in one line of the table (see proc_pid_mountinfo(5))."""
    fields = line.split()
    try:
        mount_point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
        return mount_point, fields[fields.index("-", 6) + 1]
    except (IndexError, ValueError):
        return None
