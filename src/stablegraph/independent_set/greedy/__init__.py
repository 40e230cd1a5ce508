"""Maximal independent sets at distance 1: greedy sets by an order, and other algorithms from the literature."""
