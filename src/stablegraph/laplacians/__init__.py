"""Graph Laplacians: effective resistances, and embeddings by the eigenvectors of the smallest eigenvalues."""
