"""What the files of this repository name of each other: read from the sources, without building anything."""
