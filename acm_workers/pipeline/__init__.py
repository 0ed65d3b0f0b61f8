"""Pure decisions about documents and runs: next steps, plans and explanations."""
