"""Heavy independent sets by weights: exact reductions, local search, and an upper bound."""
