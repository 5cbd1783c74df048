"""The study of flash networks: its experiments, its figures, its pictures and docs/networks.md."""
