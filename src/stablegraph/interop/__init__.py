"""Doors to other packages, each in a file of its own; they are imported by name, as none of them need be installed."""
