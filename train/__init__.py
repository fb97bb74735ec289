"""Training scripts, one algorithm each; run from the root of the checkout."""
