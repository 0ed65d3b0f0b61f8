"""Tasks and programs of `acm submissions demo`: circles in the unit square."""
