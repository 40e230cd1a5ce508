"""The types of arrays, by which kernels annotate their parameters, and groups (NamedTuples) their members.

Each has the word of its type, as in messages: an element and its dimensions. Capital letters are type variables, which
kernel.py explains. The arrays are NumPy's, and on a GPU CuPy's. Numbers are `int`, `float` and `bool`.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

Constant = Annotated[int, "int", "known to the compiler"]
Array = NDArray[Any]  # of any type; a kernel that takes one lists its types
Vertices = Annotated[NDArray[np.signedinteger[Any]], "V[]"]
VertexTable = Annotated[NDArray[np.signedinteger[Any]], "V[,]"]
Offsets = Annotated[NDArray[np.signedinteger[Any]], "O[]"]
OffsetTable = Annotated[NDArray[np.signedinteger[Any]], "O[,]"]
Integers = Annotated[NDArray[np.signedinteger[Any]], "I[]"]  # int32 or int64
IntegerTable = Annotated[NDArray[np.signedinteger[Any]], "I[,]"]
Numbers = Annotated[NDArray[np.inexact[Any]], "F[]"]  # float64 or complex128
NumberTable = Annotated[NDArray[np.inexact[Any]], "F[,]"]
ArrayT = Annotated[NDArray[Any], "T[]"]  # of the types that the kernel lists: T="int32 float64"
ArrayS = Annotated[NDArray[Any], "S[]"]
Bools = Annotated[NDArray[np.bool_], "bool[]"]
BoolTable = Annotated[NDArray[np.bool_], "bool[,]"]
Bytes = Annotated[NDArray[np.uint8], "uint8[]"]
ByteTable = Annotated[NDArray[np.uint8], "uint8[,]"]
UInt16s = Annotated[NDArray[np.uint16], "uint16[]"]
Int32s = Annotated[NDArray[np.int32], "int32[]"]
Int32Table = Annotated[NDArray[np.int32], "int32[,]"]
UInt32s = Annotated[NDArray[np.uint32], "uint32[]"]
Int64s = Annotated[NDArray[np.int64], "int64[]"]
Int64Table = Annotated[NDArray[np.int64], "int64[,]"]
UInt64s = Annotated[NDArray[np.uint64], "uint64[]"]
UInt64Table = Annotated[NDArray[np.uint64], "uint64[,]"]
Float32s = Annotated[NDArray[np.float32], "float32[]"]
Float32Table = Annotated[NDArray[np.float32], "float32[,]"]
Float64s = Annotated[NDArray[np.float64], "float64[]"]
Float64Table = Annotated[NDArray[np.float64], "float64[,]"]
Complex128s = Annotated[NDArray[np.complex128], "complex128[]"]


def word_of_type(kind: Any) -> str | None:
    """Return the word of an annotation, or None if it names no type of arguments."""
    return kind.__name__ if kind in (int, float, bool) else getattr(kind, "__metadata__", (None,))[0]
