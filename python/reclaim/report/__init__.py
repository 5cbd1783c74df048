"""What commands have to say, as values, and their forms: terminal, HTML page, JSON, CSV, LaTeX, Markdown."""

PAGE = "report.html"
"""What the page of any command is called."""
