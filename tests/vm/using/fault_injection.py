# SPDX-License-Identifier: GPL-2.0-or-later
"""Allocations that the kernel refuses (its Documentation/fault-injection): the debug kernels have that, the others do not."""

from machine.needs import file

MANY = 1 << 20          # may be refused; the kernel counts down from there


class Faults:
    """One kind of allocations. The knobs are the kernel's files, with _ for -."""

    def __init__(self, name):
        self.folder = f"/sys/kernel/debug/{name}/"
        self.need = file(self.folder)

    def knobs(self, **values):
        """A command that sets them."""
        return " && ".join(f"echo {value} >{self.folder}{name.replace('_', '-')}" for name, value in values.items())

    def refused(self, host):
        """How many were refused since MANY was set."""
        return MANY - int(host.read(f"{self.folder}times"))


failslab = Faults("failslab")                   # of the sizes that of() names
fail_page_alloc = Faults("fail_page_alloc")     # whole pages


def of(*sizes):
    """A host on which those of these sizes can be refused by failslab."""
    return {"cmdline": "slub_debug=A," + ",".join(f"kmalloc-{size if size < 1024 else f'{size // 1024}k'}" for size in sizes)}


# The tasks that task_filter lets allocations fail in: this shell and what it executes.
MARK_SHELL = "echo 1 >/proc/self/make-it-fail"
# The workers of queues that are bound to a processor and have high priority: commands of the server run in them.
MARK_WORKERS = "for file in $(grep -l '^kworker/[0-9]*:.*H' /proc/[0-9]*/comm); do echo 1 >${file%comm}make-it-fail || :; done 2>/dev/null"
