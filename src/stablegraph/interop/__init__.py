"""Interfaces to other packages, one module each; import them explicitly, because none of the packages is required."""
