"""The commands of ``acm``, one module each; slow modules are imported only when a command runs."""
