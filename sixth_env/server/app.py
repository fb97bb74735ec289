"""The ASGI application: routes, errors, static files."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from sixth_env.server.gate import Gate
from sixth_env.server.routes import router
from sixth_env.server.service import RefusedError, Service
from sixth_env.server.settings import Settings
from sixth_env.server.workers import Workers


def build_app(settings: Settings) -> FastAPI:
    """See :func:`sixth_env.server.create_app`."""
    service = Service(settings)
    if settings.processes > 1:
        service.workers = Workers(settings, service.metrics)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if settings.warm_up:
            threading.Thread(target=service.warm_up, name="warm-up", daemon=True).start()
        else:
            service.ready.set()
        yield
        service.close()

    app = FastAPI(
        title="sixth_env",
        version=settings.version,
        summary='Opponents and hosted matches for card games of the "six" family',
        lifespan=lifespan,
        docs_url=None,  # they would load their scripts from elsewhere
        redoc_url=None,
    )
    app.state.service = service
    app.include_router(router)
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http_error)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
        )
    app.add_middleware(Gate, settings=settings, metrics=service.metrics)
    if settings.web.is_dir():
        app.mount("/", StaticFiles(directory=settings.web, html=True), name="web")
    return app


def _problem(status: int, field: str, message: str) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": {"field": field, "message": message}}, status, headers)


def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RefusedError)
    return _problem(error.status, error.field, str(error))


def _malformed(request: Request, error: Exception) -> JSONResponse:
    """A request of the wrong shape: its first fault."""
    assert isinstance(error, RequestValidationError)
    fault = error.errors()[0]
    if fault["type"] == "json_invalid":
        return _problem(400, "body", "the body is no JSON")
    field = _path(fault["loc"])
    return _problem(422, field, f"{field}: {fault['msg']}")


def _path(steps: Sequence[Any]) -> str:
    """A place in a request as people write it: "views[0].rows"."""
    inside = (
        steps[1:] if len(steps) > 1 and steps[0] in ("body", "query", "path", "header") else steps
    )
    path = ""
    for step in inside:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    return path


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    field = "body" if error.status_code == 400 else ""
    return _problem(error.status_code, field, str(error.detail))
