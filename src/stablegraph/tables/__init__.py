"""Tables of edges as input, and tables of results as output, through pyarrow.

numbering.py converts a column of ids of any type to vertex numbers. The ids remain an Arrow array as the graph's
`nodes` (arrow_names.py), so that no Python object is created per vertex. The readers of Parquet, Feather and CSV files
use the same code.
"""

from .interface import cluster_table, from_table, to_table

__all__ = ["cluster_table", "from_table", "to_table"]
