/** The gates as text: which are on, and why. */

import { gateWhy, gateWords } from "#agent/words/gate-words.ts"
import { type GateOverview, gateNames } from "#agent/words/gates.ts"
import { forConsent } from "#lib/printable.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import type { SlashAct } from "#session/port/command.ts"
import { numbered } from "./rows.ts"

/** What follows `/gates`: nothing, or a gate and what it should be. */
export function gateAct(rest: string): SlashAct {
  if (rest === "") return { kind: "show", what: "gates", words: "" }
  const [, name = "", to = ""] = /^(\S+)\s+(on|off)$/i.exec(rest) ?? []
  const gate = gateNames.find((known) => known.toLowerCase() === name.toLowerCase())
  if (gate) return { kind: "ops", ops: [{ type: "set_gate", gate, on: to.toLowerCase() === "on" }] }
  return { kind: "wrong", text: `Write a gate and on or off: /gates git on. The gates are ${gateNames.join(", ")}.` }
}

/** Numbers stand for switching the gate beside them. */
export const gatesAnswer = (overviews: readonly GateOverview[]): SlashAnswer => ({
  text: [
    "Gates: points where the session waits for you",
    ...numbered(
      overviews.map(
        (overview) =>
          [overview.gate, overview.on ? "on" : "off", gateWords[overview.gate], forConsent(gateWhy(overview))] as const,
      ),
    ),
    "/gates <gate> on|off to switch one for this session.",
  ].join("\n"),
  choices: overviews.map(({ gate, on }) => `${gate} ${on ? "off" : "on"}`),
})
