"""Sixes, the chip game: four columns built up and down from the sixes, passes paid in chips."""
