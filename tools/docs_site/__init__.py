"""What the docs site has beyond docs/: pages of other folders, files that are shown, the made reference."""
