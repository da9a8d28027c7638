"""Pictures and the page: they read transcripts and nothing else."""
