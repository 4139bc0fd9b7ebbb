/** The gates of a session: those it is opened with now, those it had before, and what was switched since. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { type Follower, byKind } from "#agent/words/follower.ts"
import {
  closed,
  type GateOverview,
  type GateName,
  gateNames,
  type Gates,
  type GateSource,
  type SwitchedGates,
} from "#agent/words/gates.ts"
import type { Op } from "#agent/words/op.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
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

export interface LiveGates extends Follower {
  /** Those that are on. */
  readonly now: () => Gates
  readonly states: () => readonly GateOverview[]
  /** The entry that switches one; undefined if it is so already. The failure is a sentence for the user. */
  readonly turned: (op: Op & { readonly type: "set_gate" }) => Result<EntryBody | undefined, string>
  /** The entry that takes back what was switched before and does not count any more; undefined if all of it does. */
  readonly corrected: () => EntryBody | undefined
}

export type GateParts = Pick<SessionOptions, "gates" | "gateSources" | "namedGates" | "members" | "child">

export function openLiveGates({ gates = {}, gateSources = {}, namedGates = [], members, child }: GateParts): LiveGates {
  let switched: SwitchedGates = {}
  /** Asked several times for every entry. */
  let live: Gates | undefined
  const isOn = (gate: GateName): boolean =>
    gateSources[gate] === "policy" || (switched[gate]?.on ?? gates[gate] === true)

  function takeSwitch(body: EntryBody): void {
    if (body.kind !== "gates") return
    switched = body.switched
    live = undefined
  }

  function keeper(gate: GateName): GateOverview["kept"] {
    const source = gateSources[gate]
    return !isOn(gate) || source === undefined ? undefined : source === "policy" ? "policy" : "admin"
  }

  function inspect(gate: GateName): GateOverview {
    const on = isOn(gate)
    const wanted = gateSources[gate]
    const source: GateSource | undefined = on ? (wanted ?? "session") : wanted && "session"
    const by = wanted === "policy" ? undefined : switched[gate]?.by
    return { gate, on, ...optional("source", source), ...optional("by", by), ...optional("kept", keeper(gate)) }
  }

  return {
    onEntry: byKind({ gates: takeSwitch, compaction: ({ standing }) => standing.forEach(takeSwitch) }),
    now: () => (live ??= Object.fromEntries(gateNames.flatMap((gate) => (isOn(gate) ? [[gate, true]] : [])))),
    states: () => gateNames.map(inspect),
    turned({ gate, on, by, limits }) {
      if (child) return failed("Gates are switched in the session that started this agent.")
      if (on === isOn(gate)) return ok(undefined)
      if (!on && gateSources[gate] === "policy")
        return failed(`The gate ${gate} is set by the managed policy of this machine and stays on.`)
      if (!on && limits === "session" && keeper(gate) === "admin")
        return failed(
          `The gate ${gate} is set by ${gateSources[gate] === "project" ? "the project's settings" : "the settings of the worker"}. Only an admin can switch it off.`,
        )
      // They have their own log and were opened without it.
      if (on && members?.sessions)
        return failed("Members of a team run as sessions of their own here, and a gate would not hold for them.")
      return ok({ kind: "gates", gate, switched: { ...switched, [gate]: { on, ...optional("by", by) } } })
    },
    corrected() {
      const kept = gateNames.filter((gate) => {
        const isOverruled = gateSources[gate] === "policy" && switched[gate]?.on === false
        return switched[gate] !== undefined && !isOverruled && !namedGates.includes(gate)
      })
      if (kept.length === Object.keys(switched).length) return undefined
      return { kind: "gates", switched: Object.fromEntries(kept.map((gate) => [gate, switched[gate]])) }
    },
  }
}
