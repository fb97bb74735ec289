// The random numbers of sixth_env/rng.py, so that a replay deals the same cards here.
// 64-bit words are BigInts. The hash is SplitMix64's finaliser.

const WORD = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;

export const DEAL = 1;
export const DEALER = 2;
export const REFILL = 3;

function mix(x) {
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return x ^ (x >> 31n);
}

/** The key of a sub-stream. */
export const fold = (key, word) => mix(key ^ mix((BigInt(word) + GOLDEN) & WORD));

/** The key of one purpose in one round of a match, whose stream is {seed, game, episode}. */
export function keyOf({ seed, game, episode }, round, purpose) {
  const match = fold(fold(BigInt(seed), game), episode);
  return fold(match, (BigInt(round) << 32n) ^ BigInt(purpose));
}

/** An integer in [0, bound), the n-th of a stream. */
export function draw(key, n, bound) {
  const bits = mix((key + (BigInt(n) + 1n) * GOLDEN) & WORD);
  return Number(((bits >> 32n) * BigInt(bound)) >> 32n);
}

/** Deal the first `count` of a shuffled pack, which is changed (Fisher-Yates). */
export function deal(pack, count, key) {
  for (let i = 0; i < count; i++) {
    const j = i + draw(key, i, pack.length - i);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  return pack.slice(0, count);
}

/** Shuffle a pile in place, from its end. */
export function shuffle(pile, key) {
  for (let i = pile.length - 1; i > 0; i--) {
    const j = draw(key, i, i + 1);
    [pile[i], pile[j]] = [pile[j], pile[i]];
  }
}

/** A stream for a new match, for which nobody needs the same one again. */
export function newStream() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return { seed: String((BigInt(high >>> 1) << 32n) | BigInt(low)), game: 0, episode: 0 };
}
