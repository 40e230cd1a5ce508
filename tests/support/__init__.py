"""What tests share: graphs, slow oracles, child processes."""
