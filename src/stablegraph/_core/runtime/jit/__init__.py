"""Compilation of kernels with Numba, when the package is built and for kernels under development.

Only this subpackage imports Numba, and the kernels of the package do not need it at run time. `build_kernels` uses it
to build the library. `backend` uses it for kernels outside the package, and for all kernels if STABLEGRAPH_JIT=1 is
set. It requires the extra `jit`.
"""
