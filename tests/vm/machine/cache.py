# SPDX-License-Identifier: GPL-2.0-or-later
"""Things that take long to make and are the same for every clone.

They are in ${XDG_CACHE_HOME:-~/.cache}/causeway/, one folder each, named
<kind>-<hash of all its inputs>. A folder is made under a temporary name and
renamed when complete, under a lock, so that two runs on one machine share it
and never see an incomplete one.
"""

import fcntl
import hashlib
import os
import subprocess
import tempfile
import time
from pathlib import Path


def root():
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "causeway"


def digest(*parts):
    """Return the hash of the inputs. A Path counts by its content."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else str(part).encode()
        sha.update(hashlib.sha256(data).digest())
    return sha.hexdigest()[:16]


def remove(folder):
    # mmdebstrap may have left a mount inside when it was killed: never follow it.
    subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=False)


def folder(kind, key, make, say=print):
    """Return the folder kind-key. If it does not exist, make(path) fills it."""
    place = root()
    place.mkdir(parents=True, exist_ok=True)
    final = place / f"{kind}-{key}"
    with open(place / f".lock-{kind}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not final.exists():
            for left in place.glob(f".{kind}-????????"):
                remove(left)            # of a run that was killed; no other run has the lock
            began = time.monotonic()
            say(f"making {kind} (kept in {final})")
            work = Path(tempfile.mkdtemp(prefix=f".{kind}-", dir=place))
            try:
                make(work)
                work.chmod(0o755)
                work.rename(final)
            except BaseException:
                remove(work)
                raise
            say(f"made {kind} in {time.monotonic() - began:.0f} s")
        os.utime(final)
    return final


def forget_old(kind, keep=6):
    """Remove all but the most recently used folders of a kind."""
    made = sorted(root().glob(f"{kind}-*"), key=lambda p: p.stat().st_mtime, reverse=True)
    for path in made[keep:]:
        remove(path)
