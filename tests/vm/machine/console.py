# SPDX-License-Identifier: GPL-2.0-or-later
"""The file to which the serial console of a machine is written, and how far it was read.

Positions are in bytes of the file, which has carriage returns that the texts here do not have.
"""


def text_of(data):
    return data.decode(errors="replace").replace("\r", "")


class Console:
    def __init__(self, path):
        self.path = path
        self.scanned = 0        # bytes; the console is clean up to here, the start of a line

    def bytes(self, start=0):
        if not self.path.exists():
            return b""
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read()

    def size(self):
        return self.path.stat().st_size if self.path.exists() else 0

    def text(self, start=0):
        return text_of(self.bytes(start))

    def take(self, until=None, rest=False):
        """Return the text that was not scanned yet, up to the byte "until". The text counts as
        scanned from now on.

        A line without an end stays for the next call, unless "rest" is given.
        """
        data = self.bytes(self.scanned)
        if until is not None:
            data = data[:until - self.scanned]
        elif not rest:
            data = data[:data.rfind(b"\n") + 1]
        self.scanned += len(data)
        return text_of(data)

    def line_with(self, text):
        """Return the byte at which the first line begins that was not scanned and contains the
        text, or None."""
        data = self.bytes(self.scanned)
        found = data.find(text.encode())
        return None if found < 0 else self.scanned + data.rfind(b"\n", 0, found) + 1
