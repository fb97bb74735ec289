"""Every error that the package raises on purpose.

SixthEnvError
├── ConfigError         a configuration that the rules do not allow
├── IllegalActionError  an action that is malformed or not legal now
├── PositionError       a position, view or replay that is inconsistent
├── OpponentError       an opponent that cannot be found, loaded or asked
├── CheckpointError     a checkpoint that is damaged or made for something else
└── MissingExtraError   an optional dependency that is not installed

All but the last are also ``ValueError``, so that code which knows nothing of this package can
catch them. Each message is one sentence that names the culprit and what was expected.
"""

from __future__ import annotations


class SixthEnvError(Exception):
    """Base of all errors of this package."""


class ConfigError(SixthEnvError, ValueError):
    """A configuration value is unknown, of the wrong type or not allowed by the rules."""


class IllegalActionError(SixthEnvError, ValueError):
    """An action is malformed, or not legal for the agent now; the state is unchanged."""


class PositionError(SixthEnvError, ValueError):
    """A position, view or replay contradicts itself or the environment's rules."""


class OpponentError(SixthEnvError, ValueError):
    """An opponent is unknown, cannot be loaded, or gave no usable answer."""


class CheckpointError(SixthEnvError, ValueError):
    """A checkpoint is damaged, or does not fit the game, version or observation table."""


class MissingExtraError(SixthEnvError, ImportError):
    """An optional dependency is missing; the message names the extra that brings it."""
