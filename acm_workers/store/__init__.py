"""The store knows everything: one module per noun, connections in, schemas out."""
