"""Binary files with the arrays of CSR: the native format .npz, SciPy's .npz, and ECL's .egr.

The native format is a NumPy .npz file whose arrays can be memory-mapped instead of read. Members: ``indptr``,
``indices``, ``directed``, and optionally ``weights``, ``nodes`` (an integer or a text array), ``vertex_weights`` and
``vertex_sizes``. They are stored uncompressed, and the data of each member begins at a multiple of 64 bytes in the file
(an extra field of the zip header fills the gap), so that a member can be mapped at its offset. NumPy ignores mmap_mode
for .npz files, but reads these files like any other. Nothing is ever unpickled. Files from SciPy's ``save_npz`` are
read, too.

ECL's binary CSR: little-endian 32-bit integers n, m, indptr (n + 1), indices (m), and optionally weights (m). The
format has no magic number. A file is recognized if its size fits its first two numbers and its indptr runs from 0 to m.
The format does not state whether a graph is directed.
"""

from __future__ import annotations

import errno
import io
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from .._core.converters import summed_csr
from .contents import Contents, check_announced, plain_names
from .source import Allowance, GraphFileError, Source

NPZ_MAGIC = b"PK"
NPZ_MEMBER = NPZ_MAGIC + b"\x03\x04"
_ALIGNMENT = 64
_PADDING_ID = 0xD935  # the extra field that zipalign uses for alignment
_EXTRAS = ("vertex_weights", "vertex_sizes")
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_OF_SCIPY = {  # members of SciPy's format: dimensions and kinds of the dtype; SciPy does not check them
    **dict.fromkeys(("indptr", "indices", "offsets", "row", "col", "shape"), ((1,), "iu")),
    **{"coords": ((2,), "iu"), "data": ((1, 2, 3), "biufc"), "format": ((0,), "SU"), "_is_array": ((0,), "b")},
}
_DAMAGE = (  # exceptions that zipfile, NumPy and SciPy raise for damaged files
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError),
    *(tokenize.TokenError, SyntaxError, KeyError, OverflowError, RuntimeError, TypeError, ValueError, OSError),
)


def read_npz(name: str, file: Any, *, weights: bool, mapped: bool, allowance: Allowance | None = None) -> Contents:
    """Read a graph from a path (which can be mapped) or from a seekable binary stream."""
    allowance = allowance or Allowance(name, trusted=True)
    part = "its list of members"
    try:
        with zipfile.ZipFile(file) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if len(members) < len(archive.infolist()):  # NumPy may read another member than the one checked below
                raise GraphFileError(f"{name}: the .npz file is damaged: two of its members have one name")
            is_of_scipy = "format" in members and "shape" in members  # always read, never mapped
            if is_of_scipy or not mapped:
                allowance.check(sum(info.file_size for info in members.values()), "its uncompressed members")
            if is_of_scipy:
                for key, info in members.items():
                    part = f"member {key!r}"
                    _check_member(key, *_check_size(archive, info))
                return _from_scipy(name, file, weights, allowance)
            if "indptr" not in members or "indices" not in members:
                raise GraphFileError(
                    f"{name}: a graph has members 'indptr' and 'indices', this file has "
                    + (_quotable(", ".join(map(repr, sorted(members)))) or "others")
                )

            def member(key: str) -> Any:
                nonlocal part
                if key not in members:
                    return None
                part = f"member {key!r}"
                _check_size(archive, members[key])
                if mapped:
                    return _mapped(name, file, members[key])
                with archive.open(members[key]) as stream:
                    return np.lib.format.read_array(stream, allow_pickle=False)

            arrays = {key: member(key) for key in ("indptr", "indices", "directed", "nodes", *_EXTRAS)}
            arrays["weights"] = member("weights") if weights else None
    except GraphFileError:
        raise
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):  # bzip2 errors, impossible offsets
            raise
        raise GraphFileError(
            f"{name}: the .npz file is damaged or cut short: {part} cannot be read"
            + (f" ({reason})" if (reason := _quotable(str(error))) else "")
        ) from None
    indptr, indices, directed = arrays["indptr"], arrays["indices"], arrays["directed"]
    if not indptr.size or any(array.ndim != 1 or array.dtype.kind not in "iu" for array in (indptr, indices)):
        raise GraphFileError(f"{name}: 'indptr' and 'indices' must be one-dimensional arrays of integers")
    for key in ("nodes", "weights", *_EXTRAS):
        if arrays[key] is not None and arrays[key].ndim == 0:
            raise GraphFileError(f"{name}: {key!r} must be an array, but is a single value")
    if directed is not None and (directed.size != 1 or directed.dtype.kind not in "biu"):
        raise GraphFileError(f"{name}: 'directed' must be a single truth value, but has the shape {directed.shape}")
    return Contents(
        indptr.size - 1,
        indptr=indptr,
        indices=indices,
        weights=arrays["weights"],
        directed=None if directed is None else bool(directed),
        nodes=arrays["nodes"],
        facts={key: arrays[key] for key in _EXTRAS if arrays[key] is not None},
    )


def read_npz_source(source: Source, *, weights: bool) -> Contents:
    """Read a graph from the bytes of a file, which may have been compressed as a whole."""
    if not source.data.startswith(NPZ_MAGIC):
        raise source.error("not an .npz file, or its beginning is damaged")
    file = io.BytesIO(source.data)
    return read_npz(source.name, file, weights=weights, mapped=False, allowance=source.allowance)


def _check_size(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Refuse a member whose header states a wrong size, because NumPy allocates the stated size.

    Return its shape and dtype.
    """
    with archive.open(info) as stream:
        shape, _, dtype = _array_header(stream)
        stated = stream.tell() + math.prod(shape) * dtype.itemsize
    if stated != info.file_size and not dtype.hasobject:
        raise ValueError(f"its header states {stated} bytes, but there are {info.file_size}")
    return shape, dtype


def _check_member(key: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse a member of SciPy's format with another type, which SciPy would convert or read as if it were right."""
    dimensions, kinds = _OF_SCIPY.get(key, ((len(shape),), dtype.kind))
    if len(shape) not in dimensions or (dtype.kind not in kinds and 0 not in shape):
        raise ValueError(f"it has {len(shape)} dimensions of the type {dtype}")


def _array_header(stream: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, order and dtype of the array that begins at the stream's position."""
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    fields: tuple[tuple[int, ...], bool, np.dtype[Any]] = header(stream)
    return fields


def _quotable(text: str) -> str:
    """Return a text for a message, or an empty text if it is long or contains bytes of the file."""
    has_bytes = not text.isprintable() or any(mark in text for mark in ("\\", "b'", 'b"'))
    return "" if has_bytes or len(text) > 100 else text


def _mapped(name: str, path: Any, info: zipfile.ZipInfo) -> np.ndarray:
    """Return a member's array, mapped at its offset in the file."""
    if info.compress_type != zipfile.ZIP_STORED:
        raise GraphFileError(f"{name}: a compressed member cannot be mapped; read the file without mmap=True")
    with open(path, "rb") as file:
        file.seek(info.header_offset)
        signature, name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        if signature != NPZ_MEMBER:
            raise GraphFileError(f"{name}: the .npz file is damaged: no member begins at byte {info.header_offset}")
        start = file.seek(name_length + extra_length, io.SEEK_CUR)
        shape, fortran, dtype = _array_header(file)
        offset = file.tell()
        if dtype.hasobject or not shape or 0 in shape or (fortran and len(shape) > 1):  # cannot be mapped
            file.seek(start)
            return np.lib.format.read_array(file, allow_pickle=False)
    return np.asarray(np.memmap(path, dtype, "r", offset, shape))


def _from_scipy(name: str, file: Any, weights: bool, allowance: Allowance) -> Contents:
    import scipy.sparse as sp

    if hasattr(file, "seek"):
        file.seek(0)
    matrix: Any = sp.load_npz(file)
    if matrix.format in ("csc", "bsr"):
        matrix.check_format(full_check=True)  # conversions do not check indices; those of CSR are checked later
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphFileError(f"{name}: a graph needs a square matrix, this one is {' x '.join(map(str, matrix.shape))}")
    if matrix.format != "csr":  # a CSR file contains a number for each row; other formats only announce the rows
        check_announced(name, matrix.shape[0], allowance)
        try:
            matrix = summed_csr(matrix, weights)
        except ValueError as error:
            raise GraphFileError(f"{name}: {error}") from None
    return Contents(
        matrix.shape[0], indptr=matrix.indptr, indices=matrix.indices, weights=matrix.data if weights else None
    )


def write_npz(stream: IO[bytes], graph: Any) -> None:
    """Write the native format."""
    members = {"indptr": graph.indptr, "indices": graph.indices, "directed": np.array(bool(graph.directed))}
    if graph.weights is not None:
        members["weights"] = graph.weights
    if graph.nodes is not None:
        members["nodes"] = plain_names(graph.nodes)
    for key in _EXTRAS:
        if key in graph.facts:
            members[key] = np.asarray(graph.facts[key])
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for key, array in members.items():
            _write_member(archive, key, np.ascontiguousarray(array).reshape(np.shape(array)))


def _write_member(archive: zipfile.ZipFile, key: str, array: np.ndarray) -> None:
    """Write one member with aligned data: an extra field pads the header before it."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    info = zipfile.ZipInfo(f"{key}.npy", date_time=(1980, 1, 1, 0, 0, 0))
    info.file_size = head.tell() + array.nbytes
    large = info.file_size > zipfile.ZIP64_LIMIT // 2  # zipfile writes longer headers from about 5 % below the limit on
    assert archive.fp is not None
    zip_header = _LOCAL_HEADER.size + len(info.filename) + (20 if large else 0) + 4
    unpadded = archive.fp.tell() + zip_header + head.tell()
    padding = -unpadded % _ALIGNMENT
    info.extra = struct.pack("<HH", _PADDING_ID, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=large) as member:
        member.write(head.getvalue())
        if array.size:
            member.write(array.reshape(-1).view(np.uint8).data)


_EGR_INT = np.dtype("<i4")
_MAX_EGR = 2**31 - 1


def _egr_sizes(source: Source) -> tuple[int, int]:
    if len(source.data) < 12:
        return -1, -1
    n, m = np.frombuffer(source.data, _EGR_INT, 2).tolist()
    return n, m


def is_egr(source: Source) -> bool:
    """Return whether the size fits the first two numbers, and indptr runs from 0 to m."""
    n, m = _egr_sizes(source)
    if n < 0 or m < 0 or len(source.data) not in (4 * (3 + n + m), 4 * (3 + n + 2 * m)):
        return False
    return bool((np.frombuffer(source.data, _EGR_INT, n + 1, 8)[[0, -1]] == (0, m)).all())


def read_egr(source: Source, *, weights: bool) -> Contents:
    """Read an ECL graph."""
    n, m = _egr_sizes(source)
    if n < 0 or m < 0:
        raise source.error("an .egr file must begin with its numbers of vertices and entries")
    size, plain = len(source.data), 4 * (3 + n + m)
    if size not in (plain, plain + 4 * m):
        raise source.error(
            f"{size} bytes, but {n} vertices and {m} entries take {plain}, or {plain + 4 * m} with weights; "
            "the file is cut short or not in the format egr"
        )
    indptr = np.frombuffer(source.data, _EGR_INT, n + 1, 8)
    indices = np.frombuffer(source.data, _EGR_INT, m, 12 + 4 * n)
    if indptr[0] != 0 or indptr[-1] != m or (np.diff(indptr) < 0).any():
        k = int(np.flatnonzero(np.diff(indptr, prepend=0) < 0)[0]) if (np.diff(indptr) < 0).any() else 0
        raise source.error(f"the row starts must rise from 0 to {m}, but do not at vertex {k}")
    wrong = np.flatnonzero((indices < 0) | (indices >= n))
    if wrong.size:
        raise source.error(
            f"entry {int(wrong[0])} names vertex {int(indices[wrong[0]])}, but there are vertices 0 to {n - 1}"
        )
    has_weights = weights and m > 0 and size > plain
    return Contents(
        n,
        indptr=indptr.astype(np.int32),
        indices=indices.astype(np.int32),
        weights=np.frombuffer(source.data, _EGR_INT, m, plain).astype(np.int32) if has_weights else None,
    )


def write_egr(stream: IO[bytes], graph: Any) -> None:
    """Write an ECL graph."""
    n, m = graph.num_vertices, graph.num_entries
    if n >= _MAX_EGR or m > _MAX_EGR:
        raise ValueError(f"the format egr counts in 32 bits, but there are {n} vertices and {m} entries; write 'npz'")
    columns = [np.array([n, m]), graph.indptr, graph.indices]
    if graph.weights is not None:
        w = graph.weights
        if w.dtype.kind not in "iub" or (w.size and (int(w.min()) < -_MAX_EGR - 1 or int(w.max()) > _MAX_EGR)):
            raise ValueError("the weights of the format egr are 32-bit integers, but these do not fit; write 'npz'")
        columns.append(w)
    for column in columns:
        stream.write(np.ascontiguousarray(column, _EGR_INT).data)
