"""The wire formats: one file each, named as configs name them."""
