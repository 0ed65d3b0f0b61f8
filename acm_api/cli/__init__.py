"""The commands of ``acm``, a module each; they import slow modules only when they run."""
