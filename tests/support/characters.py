"""Characters for properties of texts."""

from hypothesis import strategies as st

# As ``st.text`` draws them by itself, but for the table of what UTF-8 encodes: where that is not
# stored yet, more than a million characters are tried, which takes 1.6 s.
ANY = st.characters(exclude_categories=["Cs"])
"""Any character that UTF-8 can hold."""
