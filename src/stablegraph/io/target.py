"""Writing so that the old file stays until the new one is whole.

The bytes go to a new file beside the target, its part, which then takes the target's name in one step. Whatever happens
before (an error, an interrupt, a full disk), the part is removed and the old file stands. What is not a regular file (a
device, a pipe) is written to directly.

A killed process cannot remove its part; the next one that writes to the same name does. The system tells which parts
are left over: a writer holds a lock on its part, which ends with it (and Windows removes no file that is open).
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import lzma
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

try:
    import fcntl
except ModuleNotFoundError:  # on Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["WriteOnly", "compressed", "replacing"]

_CHARACTERS_OF_NAME = 32  # in a part's name, which must not be longer than file systems allow
_TOKEN = re.compile(r"[0-9a-f]{8}\.part")


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary stream whose contents become the file `path` when the block ends without an exception."""
    target = os.path.realpath(path)
    if os.path.islink(target):  # only of a circle of links no end is found
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:
            yield device
        return
    folder, name = os.path.split(target)
    start = f".{name[:_CHARACTERS_OF_NAME]}."
    _remove_abandoned(folder, start)
    stream = _locked_part(folder, start)
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if os.path.exists(target):
                shutil.copymode(target, stream.name)
            if fcntl is None:
                stream.close()  # Windows renames no file that is open
            os.replace(stream.name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(stream.name)
        raise


def _locked_part(folder: str, start: str) -> BinaryIO:
    """A new file, locked where the system has locks."""
    while True:
        stream = open(os.path.join(folder, f"{start}{secrets.token_hex(4)}.part"), "xb")  # noqa: SIM115
        if fcntl is None:
            return stream
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        if os.fstat(stream.fileno()).st_nlink:
            return stream
        stream.close()  # another process took it for abandoned before it was locked


def _remove_abandoned(folder: str, start: str) -> None:
    """Remove the parts whose writers have ended."""
    with contextlib.suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name.startswith(start) and _TOKEN.fullmatch(file.name, len(start)):
                with contextlib.suppress(OSError):
                    _remove_unless_locked(file.path)


def _remove_unless_locked(path: str) -> None:
    if fcntl is None:
        os.unlink(path)
        return
    with open(path, "r+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)


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
