"""Local or network: what the mount table says about a path."""

from __future__ import annotations

import pytest

from holdfast.storage.files import mounts
from holdfast.storage.files.mounts import filesystem_type, is_network_filesystem

TABLE = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /home/ada rw - nfs4 server:/home rw
31 22 0:31 / /home/ada\\040two rw master:1 - cifs //server/share rw
32 22 0:32 / /media/remote rw - fuse.sshfs ada@server: rw
33 22 0:33 / /media/image rw - fuse.fuseiso image rw
34 30 0:34 / /home/ada/local rw - tmpfs tmpfs rw
35 22 0:35 / /covered rw - ext4 /dev/sdb rw
36 22 0:36 / /covered rw - nfs server:/covered rw
not a mount
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/home/adam", "ext4"),
        ("/home/ada", "nfs4"),
        ("/home/ada/project", "nfs4"),
        ("/home/ada two/x", "cifs"),
        ("/home/ada/local/x", "tmpfs"),
        ("/media/remote/x", "fuse.sshfs"),
        ("/covered/x", "nfs"),
    ],
)
def test_the_longest_and_latest_mount_decides(tmp_path, path, kind):
    table = tmp_path / "mountinfo"
    table.write_text(TABLE)
    assert filesystem_type(path, str(table)) == kind


@pytest.mark.parametrize(
    ("kind", "network"),
    [
        ("ext4", False),
        ("nfs4", True),
        ("cifs", True),
        ("fuse.sshfs", True),
        ("fuse.fuseiso", False),
        ("", False),
    ],
)
def test_network_file_systems_are_known_by_their_type(monkeypatch, kind, network):
    monkeypatch.setattr(mounts, "filesystem_type", lambda _path: kind)
    assert is_network_filesystem("/anywhere") is network


def test_a_missing_table_is_no_reason_to_refuse(tmp_path):
    assert filesystem_type(tmp_path, str(tmp_path / "missing")) == ""
    assert is_network_filesystem(tmp_path) is False
