"""Studies: the points of an experiment, run on all cores or many machines, and what is made of them."""
