"""Views: pure functions of a run, a step and texts. They return plain data, never widgets."""
