"""Communities: groups of vertices with many edges inside and few between them."""

from .api import communities, modularity, potts

__all__ = ["communities", "modularity", "potts"]
