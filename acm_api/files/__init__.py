"""Files of the user: reading documents, and writing candidates, winners and reports."""
