"""Config and documents of ``acm run --demo``, and the files that ``acm init`` writes."""
