"""Speaking to language models: transport, dialects, prices and token estimates."""
