"""The table as a picture: an RGB array without a display, or a window.

pygame-ce (the extra ``render``) is imported only when a picture is asked for.
"""

from __future__ import annotations

import contextlib
import importlib
import io
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sixth_env.errors import ConfigError, MissingExtraError
from sixth_env.render.facts import View
from sixth_env.render.style import check_faces

if TYPE_CHECKING:
    import pygame

SIZE = (960, 640)
MIN_SIZE = (640, 480)


def draw(
    view: View, size: tuple[int, int] = SIZE, *, faces: str | None = None
) -> npt.NDArray[np.uint8]:
    """The picture of a view or position of any game: (height, width, 3) uint8.

    ``size`` is (width, height) in pixels, at least 640 x 480. The same view gives the same
    picture. No display is needed, and only pygame's font module is initialised. The ``faces``
    "zsa" show 6 nimmt!'s cards as those of a ZSA deck, with their numbers in a corner.

    Raises:
        MissingExtraError: pygame-ce is not installed.
        ConfigError: the size is too small to be readable, or there are no such faces.
    """
    check_faces(view["game"], faces)
    width, height = size
    if width < MIN_SIZE[0] or height < MIN_SIZE[1]:
        raise ConfigError(
            f"a picture needs at least {MIN_SIZE[0]} x {MIN_SIZE[1]} pixels,"
            f" but size={width} x {height} was asked for"
        )
    _import_pygame()
    from sixth_env.render import picture

    return picture.paint(view, width, height, faces)


class Window:
    """A window that shows one picture after another (render mode ``human``).

    The window opens at the first :meth:`show`. Once the user has closed it, later pictures are
    skipped, so that a program goes on without it; ``closed`` tells.
    """

    def __init__(
        self,
        size: tuple[int, int] = SIZE,
        caption: str = "sixth_env",
        faces: str | None = None,
    ) -> None:
        self.size = size
        self.caption = caption
        self.faces = faces
        self.closed = False
        self._screen: pygame.Surface | None = None

    def show(self, view: View) -> None:
        """Draw the view into the window and answer the window's events.

        Raises:
            MissingExtraError: pygame-ce is not installed.
            ConfigError: there is no display to open a window on.
        """
        if self.closed:
            return
        image = draw(view, self.size, faces=self.faces)
        import pygame

        if self._screen is None:
            self._screen = self._open()
        pygame.surfarray.blit_array(self._screen, image.swapaxes(0, 1))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()

    def close(self) -> None:
        """Close the window for good; closing it twice does nothing."""
        self.closed = True
        if self._screen is not None:
            import pygame

            self._screen = None
            pygame.display.quit()

    def _open(self) -> pygame.Surface:
        import pygame

        try:
            pygame.display.init()
            screen = pygame.display.set_mode(self.size)
        except pygame.error as error:
            raise ConfigError(
                f"render_mode 'human' needs a display ({error}); 'rgb_array' draws without one"
            ) from error
        pygame.display.set_caption(self.caption)
        return screen


def _import_pygame() -> None:
    """Import pygame; its greeting on standard output is swallowed."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            importlib.import_module("pygame")
    except ImportError as error:
        raise MissingExtraError(
            "drawing the table needs pygame-ce: pip install 'sixth_env[render]'"
        ) from error
