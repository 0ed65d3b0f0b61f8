"""Pages for browsers: rendered by the server, updated by events, with little JavaScript."""
