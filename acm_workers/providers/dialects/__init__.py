"""The wire format of each provider: one file per dialect, two pure functions in each."""
