"""Results as lines and columns: on the terminal, in Markdown, in JSON."""
