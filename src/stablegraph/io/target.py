"""Writing so that the old file stays until the new one is whole.

The bytes go to a new file beside the target, which then takes the target's name in one step. Whatever happens before
(an error, an interrupt, a full disk), the new file is removed and the old one stands. What is not a regular file (a
device, a pipe) is written to directly.
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import lzma
import os
import secrets
import shutil
from collections.abc import Iterator
from typing import IO, Any

__all__ = ["WriteOnly", "compressed", "replacing"]


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary stream whose contents become the file `path` when the block ends without an exception."""
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as stream:
            yield stream
        return
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class WriteOnly:
    """A stream of which nobody is led to believe that it can seek: compressors and pipes cannot."""

    def __init__(self, stream: Any) -> None:
        self.write, self.flush = stream.write, stream.flush


@contextlib.contextmanager
def compressed(stream: IO[bytes], name: str) -> Iterator[Any]:
    """A stream that compresses as the last suffix of `name` says, or the stream itself."""
    suffix = os.path.splitext(name)[1].lower()
    if suffix == ".gz":
        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as inner:
            yield WriteOnly(inner)
    elif suffix == ".bz2":
        with bz2.BZ2File(stream, "wb") as inner:
            yield WriteOnly(inner)
    elif suffix == ".xz":
        with lzma.LZMAFile(stream, "wb") as inner:
            yield WriteOnly(inner)
    else:
        yield stream
