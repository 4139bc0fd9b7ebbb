/** The gates of a session: those it is opened with now, and those it had before. */

import type { Entry } from "#agent/words/entry.ts"
import { closed, type Gates } from "#agent/words/gates.ts"
import { lastOpening } from "./opening.ts"
import type { SessionOptions } from "./options.ts"

/** Opening a session again takes no gate away that the user does not name. */
export function withGates(options: SessionOptions, entries: readonly Entry[]): SessionOptions {
  const both = bothGates(options.gates, lastOpening(entries)?.gates)
  const gates = { ...both, ...Object.fromEntries((options.openGates ?? []).map((gate) => [gate, false])) }
  return closed(gates).length === 0 ? options : { ...options, gates }
}

const bothGates = (some: Gates = {}, more: Gates = {}): Gates =>
  Object.fromEntries([...closed(some), ...closed(more)].map((gate) => [gate, true]))
