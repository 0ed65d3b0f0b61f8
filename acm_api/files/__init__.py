"""Files of the user: reads documents; writes candidates, winners and reports."""
