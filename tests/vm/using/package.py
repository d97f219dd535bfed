# SPDX-License-Identifier: GPL-2.0-or-later
"""The scripts that dpkg runs when the packages are removed and purged, for a machine that has the
command without packages."""

from pathlib import Path

DEBIAN = Path(__file__).resolve().parents[3] / "debian"


def text(script):
    return (DEBIAN / script).read_text()


def run(host, script, word, timeout=60, check=True):
    """Run a script of a package, such as causeway.prerm."""
    host.write(f"/tmp/{script}", text(script))
    return host.run(f"sh /tmp/{script} {word}", timeout, check)


def remove(host):
    run(host, "causeway.prerm", "remove", timeout=120)
    for name in ("causeway", "causeway-dkms"):
        run(host, f"{name}.postrm", "remove")


def purge(host):
    """Purge the packages. Files are removed; units that ran continue until the next boot. Folders
    that the rig keeps over a boot are mounts."""
    host.run("umount /etc/causeway /var/lib/causeway")
    run(host, "causeway.postrm", "purge")
    assert not host.run("ls -d /etc/causeway /var/lib/causeway 2>/dev/null", check=False).lines


def written(host):
    """Return the files that verbs wrote, and links of systemd to units that no longer exist."""
    return host.run("grep -rl '^# Written by \"causeway ' /etc; find /etc/systemd -xtype l -name '*causeway*'", check=False).lines
