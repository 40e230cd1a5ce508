"""Building the library of kernels, when the package is built: ``python -m build_kernels``.

It imports the package's kernels, expands their declared types (forms.py), compiles each form with Numba
(compile.py), and links all objects with `runtime.c` into one shared library (link.py). `hatch_build.py` does this for
wheels and editable installs. Objects and libraries are kept in the folder `build` of the source tree.
"""
