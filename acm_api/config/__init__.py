"""Configs: from the user's YAML file to the effective values, with the origin of each value."""
