"""The request and response formats of providers; each dialect has ``body`` and ``read``."""
