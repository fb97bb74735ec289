"""Pictures of the games, made from a view or position alone.

``sixth_env.render.text.text``   a text picture for a terminal
``sixth_env.render.table.draw``  an RGB array, drawn without a display (extra ``render``)
``sixth_env.render.table.Window``  the same picture in a window (extra ``render``)

Nothing here knows the environment. A renderer sees the JSON of a view, in which hidden cards are
only counts, so it cannot show what the observer may not know. A position, which holds every
hand, is drawn with all hands face up.
"""
