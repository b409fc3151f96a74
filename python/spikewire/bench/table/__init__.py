"""What was measured as lines and columns: on the terminal, in Markdown, in JSON."""
