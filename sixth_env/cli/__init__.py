"""The command line, ``sixth-env``.

``app.py``      commands and options
``matches.py``  matches and tournaments;  ``tables.py`` shows them;  ``progress.py`` how far
``live.py``     one match, step by step;  ``story.py`` tells it
``terminal.py`` a person at the terminal

Everything heavy is imported by the command that needs it, so that ``--help`` is quick.
"""

from __future__ import annotations

from sixth_env.cli.app import app, main

__all__ = ["app", "main"]
