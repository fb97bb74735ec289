"""``python -m sixth_env``: the command line."""

from __future__ import annotations

from sixth_env.cli import main

if __name__ == "__main__":
    main()
