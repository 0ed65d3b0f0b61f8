"""Pages for browsers: rendered by the server, live by events, with little JavaScript."""
