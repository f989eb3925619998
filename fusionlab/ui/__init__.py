"""The only room that knows Streamlit: what every page shares, and the stepping player."""
