"""The configuration of a run, one module per section."""
