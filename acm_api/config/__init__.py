"""From the user's YAML to an effective config."""
