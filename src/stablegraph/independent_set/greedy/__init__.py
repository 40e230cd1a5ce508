"""Maximal independent sets at distance 1: greedy sets in an order, and the other algorithms of the literature."""
