"""Connected and strongly connected components."""
