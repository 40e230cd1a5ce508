"""The version, apart from the public names: what stands below them asks for it, too."""

__version__ = "0.1.0"
