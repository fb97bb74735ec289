"""Sixes, the golf game: hidden cards in three rows of two, draw and discard, knock."""
