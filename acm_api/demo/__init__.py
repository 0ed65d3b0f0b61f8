"""What ``acm run --demo`` works on, and the files that ``acm init`` writes."""
