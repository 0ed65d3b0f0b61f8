"""Paid calls: limits before, the ledger around, retries between."""
