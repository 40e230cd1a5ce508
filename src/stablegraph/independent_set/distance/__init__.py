"""Maximal independent sets at distance 2 and more: Luby's algorithm on a power of the graph."""
