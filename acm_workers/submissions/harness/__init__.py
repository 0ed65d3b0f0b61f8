"""Programs that run as files inside the sandbox, without any import of ACM."""
