"""Programs that run inside the sandbox, as files, without ACM: nothing here imports it."""
