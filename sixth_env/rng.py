"""Counter-based random numbers for the rules kernels.

A stream is a 64-bit key; its n-th number is a hash of (key, n), so no number depends on how many
were drawn before it. The hash is the finaliser of SplitMix64 (Steele, Lea & Flood, "Fast
splittable pseudorandom number generators", OOPSLA 2014) with its golden-ratio increment.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

# A function for kernels: compiled into its caller, where a call would cost more than its work.
kernel = register_jitable(forceinline=True)
# A kernel that is called seldom: kept apart, so that it takes no registers from its caller's loop.
rare = register_jitable

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_ONE = np.uint64(1)

# What a number is for: each purpose is a stream of its own, so that one never shifts another.
DEAL, DEALER, REFILL, ACTION, WORLD = 1, 2, 3, 4, 5


@kernel
def at(index):
    """An index known not to be negative: spares the test for one that counts from the end."""
    return np.uint64(index)


@kernel
def mix(x):
    """SplitMix64's finaliser: a bijection of 64-bit words in which every input bit counts."""
    x = (x ^ (x >> _U30)) * _MULTIPLIER_1
    x = (x ^ (x >> _U27)) * _MULTIPLIER_2
    return x ^ (x >> _U31)


@kernel
def fold(key, word):
    """The key of the sub-stream number ``word`` of ``key``."""
    return mix(key ^ mix(np.uint64(word) + _GOLDEN))


@kernel
def stream(seed, game, episode, round_, purpose):
    """The key of one purpose in one round of one episode of one game."""
    key = fold(np.uint64(seed), np.uint64(game))
    key = fold(key, np.uint64(episode))
    return fold(key, (np.uint64(round_) << _U32) ^ np.uint64(purpose))


@kernel
def draw(key, n):
    """The n-th 64-bit number of a stream, n = 0, 1, …"""
    return mix(key + (np.uint64(n) + _ONE) * _GOLDEN)


@kernel
def below(bits, bound):
    """An integer in [0, bound) from the upper 32 of 64 random bits.

    Multiply-shift: the probabilities differ from 1 / bound by at most 2^-32.
    """
    return np.int64(((bits >> _U32) * np.uint64(bound)) >> _U32)
