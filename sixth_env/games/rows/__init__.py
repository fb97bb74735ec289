"""The rows games, Sixth Card and 6 nimmt!: two rule sets of one set of kernels."""
