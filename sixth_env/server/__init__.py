"""The HTTP server behind ``sixth-env serve``: decisions for any front end, and hosted matches.

``settings.py``   what may be set, all limits among it
``catalogue.py``  which opponents are offered, and by which name
``decide.py``     decisions within a time limit
``acting.py``     requests for decisions;  ``workers.py`` those that are large, elsewhere
``matches.py``    one hosted match;  ``lobby.py`` all of them;  ``store.py`` keeps them in a file
``bodies.py``     what requests hold;  ``routes.py`` what is done with them
``gate.py``       what every request passes: size limit, log, metrics
``app.py``        the ASGI application

Needs the extra ``serve``; ``docs/server.md`` tells of the interface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixth_env.errors import MissingExtraError
from sixth_env.server.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Settings", "create_app"]


def create_app(settings: Settings | None = None) -> FastAPI:
    """The ASGI application, for uvicorn or any other server; one process only.

    Raises:
        MissingExtraError: FastAPI is not installed.
        ConfigError, OpponentError: a setting is wrong, or an opponent cannot be loaded.
    """
    try:
        from sixth_env.server.app import build_app
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "starlette", "anyio"):
            raise
        raise MissingExtraError(
            f"{error.name} is not installed: pip install 'sixth_env[serve]'"
        ) from error
    return build_app(Settings() if settings is None else settings)
