"""What runs beside the user: it reads configs and inputs, and writes outputs."""
