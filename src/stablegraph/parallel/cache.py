"""Where compiled code is kept between processes.

Numba's own cache asks only whether the file of the compiled function has changed; a kernel here also contains rules
from other files. So its file is named by a fingerprint of all that it is compiled from, and lies in the folder of a
generation: the versions of the package, Python, NumPy and the compiler, and the contents of this layer. A change starts
new files, and nothing stale is ever loaded; where the package is installed, and when, does not matter, so that all
environments of a user's with the same versions share what was compiled once.

The folder lies in STABLEGRAPH_CACHE_DIR, or else in the platform's cache folder of the user. What is there already is
used also where nothing can be written (a container whose image was warmed up); what is not, and what turns out to be
unreadable, is compiled anew. If that cannot be kept either, a warning says so, once a process, and how to mend it.
Files are written under a temporary name and renamed, and named by what they hold, so processes that start at once do
not disturb each other.
Kernels that stand outside the package (in a test, say) are not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from .warn_user import warn_user

_KEEP_DAYS = 30
_WARM = "warm"  # an empty file in a folder
_GENERATION = re.compile(r"\d+\.\d+[\w.+]*-[0-9a-f]{16}")  # the names of their folders
_warned = False


def cache_root() -> Path:
    """The folder of the user's that holds all generations; RuntimeError for a user without a home."""
    stated = os.environ.get("STABLEGRAPH_CACHE_DIR")
    if stated:
        return Path(stated)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "stablegraph"


def _generation() -> str:
    import llvmlite
    import numba
    import numpy

    from .._version import __version__

    versions = [sys.version, numpy.__version__, numba.__version__, llvmlite.__version__]
    digest = hashlib.sha256(repr(versions).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return f"{__version__}-{digest.hexdigest()[:16]}"


@cache
def cache_folder() -> Path | None:
    """The folder of this generation, or None, and a warning, where there is none and none can be made."""
    try:
        root = cache_root()
        folder = root / _generation()
        fresh = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        _warn_once(error)
        return None
    if fresh:
        _forget_old_generations(root, folder)
    with contextlib.suppress(OSError):  # it was used today
        os.utime(folder)
    return folder


def mark_as_warm() -> None:
    """Remember that everything was compiled for this generation."""
    folder = cache_folder()
    if folder is not None:
        with contextlib.suppress(OSError):
            (folder / _WARM).touch()


def is_warm() -> bool:
    """Whether everything was compiled for this generation once, by `warmup`."""
    folder = cache_folder()
    return folder is not None and (folder / _WARM).exists()


def generations() -> list[Path]:
    """The folders of all generations that are kept; nothing else that may lie beside them."""
    root = cache_root()
    return sorted(path for path in root.iterdir() if _is_generation(path)) if root.is_dir() else []


def remove_generations() -> int:
    """Remove all that is kept, of this and of other versions; returns how many bytes these files had."""
    size = 0
    for folder in generations():
        size += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder)
    return size


def _is_generation(path: Path) -> bool:
    """Whether a path is a folder that was made here: STABLEGRAPH_CACHE_DIR may name one with other things in it."""
    return bool(_GENERATION.fullmatch(path.name)) and path.is_dir() and not path.is_symlink()


def _forget_old_generations(root: Path, current: Path) -> None:
    cutoff = time.time() - _KEEP_DAYS * 86400
    for folder in root.iterdir():
        try:
            if folder != current and _is_generation(folder) and folder.stat().st_mtime < cutoff:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def _warn_once(error: Exception, folder: str = "") -> None:
    """Say that compiled code cannot be kept, where (if the error does not know) and why; once a process."""
    global _warned
    if not _warned:
        _warned = True
        place = getattr(error, "filename", None) or folder
        reason = getattr(error, "strerror", None) or str(error).rstrip(".")
        warn_user(
            f"compiled code cannot be kept, so that each process will compile anew ({place and f'{place}: '}{reason}); "
            "set the environment variable STABLEGRAPH_CACHE_DIR to a folder that can be written"
        )


@cache
def _numba_cache_class() -> type:
    from numba.core import caching

    class Locator(caching._CacheLocator):
        def get_cache_path(self) -> str:
            return str(cache_folder())

        def get_source_stamp(self) -> str:
            return cache_folder().name  # type: ignore[union-attr]

        def get_disambiguator(self) -> str:
            return ""

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return cls()

    class Implementation(caching.CompileResultCacheImpl):
        _locator_classes: ClassVar[list[type]] = [Locator]

        def __init__(self, py_func: Any, fingerprint: str) -> None:
            # Numba would follow NUMBA_CACHE_LOCATOR_CLASSES here; this cache has one place only.
            self._lineno = py_func.__code__.co_firstlineno
            self._locator = Locator()
            self._locator._py_file = py_func.__code__.co_filename
            self._filename_base = f"{py_func.__module__}.{py_func.__qualname__}-{fingerprint}"

    class IndexAndData(caching.IndexDataCacheFile):
        def save(self, key: Any, data: Any) -> None:
            # Numba counts the files of a function up; two processes at once could then give one number to two
            # signatures, and the wrong code would be loaded. A name made from the key cannot be mistaken.
            try:
                overloads = self._load_index()
            except Exception:  # a damaged index is written anew
                overloads = {}
            overloads[key] = self._data_name(int(hashlib.sha256(repr(key).encode()).hexdigest()[:16], 16))
            self._save_data(overloads[key], data)
            self._save_index(overloads)

    class Cache(caching.Cache):
        def __init__(self, py_func: Any, fingerprint: str) -> None:
            self._impl_class = lambda function: Implementation(function, fingerprint)
            super().__init__(py_func)
            self._cache_file = IndexAndData(
                self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
            )

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # a damaged file may raise anything; compiling anew is always right
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except OSError as error:  # a full or vanished disk costs the cache, never the result
                _warn_once(error, self._cache_path)

    return Cache


def keep_compiled_code(dispatcher: Any, fingerprint: str) -> Any:
    """Give a Numba dispatcher the package's cache, if its function stands in the package; returns the dispatcher.

    The fingerprint is of all that the function is compiled from, but for this layer.
    """
    package = __name__.partition(".")[0]
    if dispatcher.py_func.__module__.partition(".")[0] == package and cache_folder() is not None:
        dispatcher._cache = _numba_cache_class()(dispatcher.py_func, fingerprint)
    return dispatcher
