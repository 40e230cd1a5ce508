"""The version, in a module of its own because other modules import it while the package is being initialized."""

__version__ = "0.1.0"
