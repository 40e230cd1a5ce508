"""Writing a file such that the old file remains until the new one is complete.

The bytes go to a temporary file in the same folder, called a part, which then takes the target's name in one atomic
step. If an error, an interrupt or a full disk prevents that, the part is removed and the old file remains. A target
that is not a regular file (a device, a pipe) is written to directly, and so is an open file that is named by its
number, as /dev/stdout is: the file behind it may be a log with other contents.

A killed process cannot remove its part; the next process that writes to the same name does. It recognizes abandoned
parts by file locks: a writer holds a lock on its part, which the system releases when the process ends. (Windows does
not remove open files, so no locks are needed.)
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
import sys
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

try:
    import fcntl
except ModuleNotFoundError:  # on Windows
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True


_LONGEST_CHAIN = 40  # links; more form a cycle
_CHARACTERS_OF_NAME = 32  # of the target in the part's name, which file systems limit
_TOKEN = re.compile(r"[0-9a-f]{8}\.part")


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a binary stream whose contents become the file `path` when the block ends without an exception."""
    target = checked_target(path)
    if isinstance(target, int):
        if sys.stdout is not None:  # as in a process without standard output
            sys.stdout.flush()
        with os.fdopen(os.dup(target), "wb") as opened:
            yield opened
        return
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
            if not _HAS_LOCKS:
                stream.close()  # Windows does not rename open files
            os.replace(stream.name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(stream.name)
        raise


def checked_target(path: str | os.PathLike[str]) -> str | int:
    """Return the path to write to, with links followed, or the number of an open file such as /dev/stdout.

    Raise the error for a path that cannot be written.
    """
    number = _number_of_open_file(path)
    if number is not None:
        try:
            os.fstat(number)
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        return number
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    wrong = 0
    if os.path.islink(target):  # realpath returns a link only if the links form a cycle
        wrong = errno.ELOOP
    elif os.path.isdir(target):
        wrong = errno.EISDIR
    elif not os.path.isdir(folder):
        wrong = errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
    elif not os.access(folder if os.path.isfile(target) or not os.path.exists(target) else target, os.W_OK):
        wrong = errno.EACCES
    if wrong:
        raise OSError(wrong, os.strerror(wrong), os.fspath(path))
    return target


def _number_of_open_file(path: str | os.PathLike[str]) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout or /dev/fd/3 names, or None."""
    link, numbered = os.path.abspath(path), os.path.realpath("/dev/fd")
    for _ in range(_LONGEST_CHAIN):
        folder, name = os.path.split(link)
        if name.isdecimal() and os.path.realpath(folder) == numbered:
            return int(name)
        if not os.path.islink(link):
            break
        link = os.path.normpath(os.path.join(folder, os.readlink(link)))
    return None


def _locked_part(folder: str, start: str) -> BinaryIO:
    """Create a new file, locked if the system supports locks."""
    while True:
        stream = open(os.path.join(folder, f"{start}{secrets.token_hex(4)}.part"), "xb")  # noqa: SIM115
        if not _HAS_LOCKS:
            return stream
        with contextlib.suppress(OSError):  # some file systems do not support locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        if os.fstat(stream.fileno()).st_nlink:
            return stream
        stream.close()  # another process removed it as abandoned before it was locked


def _remove_abandoned(folder: str, start: str) -> None:
    """Remove the parts whose writers have ended."""
    with contextlib.suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name.startswith(start) and _TOKEN.fullmatch(file.name, len(start)):
                with contextlib.suppress(OSError):
                    _remove_unless_locked(file.path)


def _remove_unless_locked(path: str) -> None:
    if not _HAS_LOCKS:
        os.unlink(path)
        return
    with open(path, "r+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)


class WriteOnly:
    """A stream without `seek`, because compressors and pipes cannot seek."""

    def __init__(self, stream: Any) -> None:
        self.write, self.flush = stream.write, stream.flush


@contextlib.contextmanager
def compressed(stream: IO[bytes], name: str) -> Iterator[Any]:
    """Yield a stream that compresses according to the last suffix of `name`, or the stream itself."""
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
