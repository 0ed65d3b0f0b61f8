"""Batches of requests, which providers answer within a day at half price; one file per dialect."""
