"""What processes of the lab exchange as JSON: jobs, results, and what both contain."""
