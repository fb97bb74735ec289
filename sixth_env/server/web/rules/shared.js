// What the rules of several games share.

/** Hands as one player may know them: of others, how many cards. */
export const hideHands = (hands, player) =>
  hands.map((hand, seat) => (seat === player ? [...hand] : hand.length));

/** What a seat may know of an event, where a deal alone has something to hide. */
export function eventView(event, player) {
  return event.type === "deal" ? { ...event, hands: hideHands(event.hands, player) } : event;
}

/** The seats whose result is `best`. */
export const winnersOf = (results, best) =>
  results.flatMap((result, seat) => (result === best ? [seat] : []));
