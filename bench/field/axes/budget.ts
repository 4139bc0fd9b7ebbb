/** How much more than its budget a session costs. */

import { type Axis, least, type Sample } from "../axis.ts"
import { calls, says } from "../model.ts"
import { isMissing } from "../peer.ts"
import { runPeer } from "../run-peer.ts"

const dollars = 0.5
/** By the public prices of the model that is named: $5 and $25 a million. */
const usage = { input_tokens: 40_000, output_tokens: 4_000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
const perRequest = 0.3

export const budget: Axis = {
  id: "budget",
  how: "A budget of $0.50 and a model whose every answer is reported as 40,000 tokens in and 4,000 out, $0.30 by its public prices: what was spent when the session ended.",
  rounds: 1,
  async sample({ peer, installed, fresh }): Promise<readonly Sample[]> {
    const { budget: argv } = peer
    if (isMissing(argv)) return [{ missing: argv.missing }]
    const place = fresh()
    try {
      const run = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => argv("go on", dollars, situation),
        script: (_, index) => ({ ...(index < 20 ? calls(peer.shell(`echo ${index}`)) : says("Done.")), usage }),
      })
      return [{ spent: run.at.length * perRequest, requests: run.at.length, exit: run.exit }]
    } finally {
      place.remove()
    }
  },
  rows: [{ what: "spent of a budget of $0.50", cell: (samples) => `$${least(samples, "spent").toFixed(2)}` }],
}
