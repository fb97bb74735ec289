"""In what precision matrix products are computed."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch


def fastest() -> str:
    """``"bf16"`` where the processor has instructions for it, else ``"float32"``."""
    able: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    fast = any(able.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return "bf16" if fast else "float32"


def autocast(precision: str) -> AbstractContextManager[Any]:
    """Matrix products in bfloat16 for ``"bf16"``, as they are otherwise."""
    return torch.autocast("cpu", torch.bfloat16) if precision == "bf16" else nullcontext()
