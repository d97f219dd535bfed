# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes allocations fail (Documentation/fault-injection of the kernel). Only the debug kernels
support this."""

from machine.needs import file

MANY = 1 << 20          # the number of allocations that may fail, from which the kernel counts down


class Faults:
    """One kind of allocations. The knobs are the kernel's files, with _ instead of -."""

    def __init__(self, name):
        self.folder = f"/sys/kernel/debug/{name}/"
        self.need = file(self.folder)

    def knobs(self, **values):
        """Return a command that sets them."""
        return " && ".join(f"echo {value} >{self.folder}{name.replace('_', '-')}" for name, value in values.items())

    def refused(self, host):
        """Return how many allocations have failed since MANY was set."""
        return MANY - int(host.read(f"{self.folder}times"))


failslab = Faults("failslab")                   # allocations of the sizes that of() names
fail_page_alloc = Faults("fail_page_alloc")     # whole pages


def of(*sizes):
    """Return the declarations of a host on which failslab can make allocations of these sizes fail.
    """
    return {"cmdline": "slub_debug=A," + ",".join(f"kmalloc-{size if size < 1024 else f'{size // 1024}k'}" for size in sizes)}


# Makes task_filter apply to this shell and the programs that it executes.
MARK_SHELL = "echo 1 >/proc/self/make-it-fail"
# Makes task_filter apply to the workers of queues that are bound to a processor and have high
# priority. They run the commands of the server.
MARK_WORKERS = "for file in $(grep -l '^kworker/[0-9]*:.*H' /proc/[0-9]*/comm); do echo 1 >${file%comm}make-it-fail || :; done 2>/dev/null"
