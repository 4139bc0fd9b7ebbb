/** The panel of gates: where the session waits for the user, each switched for this session. */

import { gateWhy, gateWords } from "#agent/words/gate-words.ts"
import { forConsent } from "#lib/printable.ts"
import type { ListDefinition } from "./panel.ts"
import type { GatesPort } from "./ports.ts"

export const gatesPanel = <T>(port: GatesPort): ListDefinition<T> => ({
  kind: "list",
  title: "Gates",
  about: "Points where this session waits for you, in every mode.",
  empty: "",
  search: "none",
  enterLabel: "switch",
  footer: "Space to switch for this session · Esc to close",
  load: async () =>
    (await port.list()).map((overview) => {
      const why = forConsent(gateWhy(overview))
      return {
        key: overview.gate,
        text: overview.gate,
        facts: why === "" ? gateWords[overview.gate] : `${gateWords[overview.gate]} · ${why}`,
        mark: overview.on ? "on" : "off",
      }
    }),
  async choose({ key }) {
    const gate = (await port.list()).find((overview) => overview.gate === key)
    const done = gate && (await port.set(gate.gate, !gate.on))
    return { kind: "stays", ...(done?.ok === false && { note: done.failure }) }
  },
  watch: port.watch,
})
