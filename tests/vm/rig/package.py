# SPDX-License-Identifier: GPL-2.0-or-later
"""What dpkg runs when the packages are removed and purged, on a machine that has the command without them."""

from pathlib import Path

DEBIAN = Path(__file__).resolve().parents[3] / "debian"


def remove(host):
    for name in ("causeway", "causeway-dkms"):
        host.write(f"/tmp/{name}.prerm", (DEBIAN / f"{name}.prerm").read_text())
        host.run(f"sh /tmp/{name}.prerm remove")


def purge(host):
    """Files go; the units that ran go on until the next boot. Folders that the rig keeps over a boot are mounted."""
    host.run("umount /etc/causeway /var/lib/causeway")
    host.write("/tmp/causeway.postrm", (DEBIAN / "causeway.postrm").read_text())
    host.run("sh /tmp/causeway.postrm purge", timeout=60)
    assert not host.run("ls -d /etc/causeway /var/lib/causeway 2>/dev/null", check=False).lines


def written(host):
    """Files that verbs wrote, and links of systemd to units that are gone."""
    return host.run("grep -rl '^# Written by \"causeway ' /etc; find /etc/systemd -xtype l -name '*causeway*'", check=False).lines
