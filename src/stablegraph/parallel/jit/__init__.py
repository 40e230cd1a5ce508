"""Compiling kernels with Numba: when the package is built, and for kernels that are being developed.

Nothing else in the package imports Numba, and no kernel of the package needs this while it runs. `build_kernels` uses
it to make the library; `backend` uses it for kernels outside the package, and for all kernels if STABLEGRAPH_JIT=1 is
set. It needs the extra `jit`.
"""
