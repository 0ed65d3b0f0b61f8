"""Files of the user: documents that are read, candidates, winners and reports that are written."""
