"""Large and heavy independent sets: exact reductions, local search and upper bounds."""
