"""Reports and exports of one run: pure functions from records to bytes."""
