"""Colours of schemes and of all else that figures tell apart."""

# Okabe and Ito's, told apart by colour-blind readers too; violet stands for their yellow, which is no line to
# be seen on white.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A2BE2"]
