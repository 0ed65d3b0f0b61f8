"""Paid calls: budget and limits before a call, the ledger around it, retries after it."""
