"""The form of each problem for graphs in partitions."""
