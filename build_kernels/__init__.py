"""The build of the library of compiled kernels: ``python -m build_kernels``, run when the package is built.

It imports the package's kernels, expands their declared types (forms.py), compiles each form with Numba (compile.py),
and links all objects with `runtime.c` to one shared library (link.py). `hatch_build.py` runs it for wheels and editable
installs. Objects and libraries are cached in the folder `build` of the source tree.
"""
