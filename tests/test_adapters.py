"""What all adapters of foreign libraries share."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixth_env.adapters import require
from sixth_env.errors import MissingExtraError


def test_the_extra_that_brings_a_missing_library_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r"no_such_library is not installed: .*\[torchrl\]"):
        require("no_such_library.envs", extra="torchrl")


def test_a_library_that_lacks_a_part_of_its_own_says_so_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_a_library.py").write_text("import its_missing_part\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="its_missing_part") as caught:
        require("half_a_library", extra="torchrl")
    assert not isinstance(caught.value, MissingExtraError)
