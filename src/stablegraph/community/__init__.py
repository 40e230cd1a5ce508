"""Communities: groups of vertices with many edges inside and few between them."""
