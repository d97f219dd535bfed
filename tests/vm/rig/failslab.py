# SPDX-License-Identifier: GPL-2.0-or-later
"""Small allocations that the kernel refuses (its Documentation/fault-injection): the kasan kernel has that, the others do not."""

FOLDER = "/sys/kernel/debug/failslab/"
MANY = 1 << 20          # may be refused; the kernel counts down from there


def of(*sizes):
    """A host on which those of these sizes can be refused."""
    return {"cmdline": "slub_debug=A," + ",".join(f"kmalloc-{size if size < 1024 else f'{size // 1024}k'}" for size in sizes)}


def there(host):
    return host.run(f"[ -d {FOLDER} ]", check=False).rc == 0


def knobs(**values):
    """A command that sets them."""
    return " && ".join(f"echo {value} >{FOLDER}{name.replace('_', '-')}" for name, value in values.items())


def refused(host):
    """How many were refused since MANY was set."""
    return MANY - int(host.read(f"{FOLDER}times"))
