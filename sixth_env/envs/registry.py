"""PettingZoo's registry, where the installed version has one (1.27 and later)."""

from __future__ import annotations

import pettingzoo


def register(module: str, *, parallel: bool) -> None:
    """Make ``pettingzoo.make("aec", "sixth_env/<module>")`` work, and ``"parallel"`` if asked.

    ``module`` is a name such as ``"sixth_card_v0"``. Entry points are strings, so nothing is
    loaded before an environment is made. Registering twice does nothing.
    """
    if not hasattr(pettingzoo, "register"):
        return
    forms = {"aec": (pettingzoo.aec_registry, "env")}
    if parallel:
        forms["parallel"] = (pettingzoo.parallel_registry, "parallel_env")
    for form, (registry, function) in forms.items():
        if f"sixth_env/{module}".replace("_v", "-v") not in registry:
            pettingzoo.register(form, f"sixth_env/{module}", f"sixth_env.{module}:{function}")
