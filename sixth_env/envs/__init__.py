"""PettingZoo environments: one match, on the engine with one game.

``core.py``      what both forms share: spaces, positions, views, events, pictures
``parallel.py``  every seat acts in every step (simultaneous games)
``aec.py``       one seat acts at a time (all games)
"""
