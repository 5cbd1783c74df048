"""How far the difference of two schemes hangs on what the experiment has chosen."""
