"""Tables of edges in, tables of answers out: everything that speaks Arrow, through pyarrow.

A column of ids becomes numbers in numbering.py, whatever its type, and stays an Arrow array as the graph's `nodes`
(arrow_names.py): no Python object is made for each vertex. Parquet, Feather and CSV files use the same code.
"""

from .doors import from_table, to_table

__all__ = ["from_table", "to_table"]
