/** A process of its own that knows a log and the address of a model: it opens the session as the log says, and says one thing. */

import { release } from "node:os"
import { dirname } from "node:path"
import { ripgrepWhenNeeded } from "#ground/bundled/ripgrep.ts"
import { anthropicProvider } from "#ground/models/anthropic/provider.ts"
import { openModels } from "#ground/models/router.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { openPrices } from "#kits/budget/prices.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openSession } from "#session/open.ts"
import { type LiveHalf, openedAs, openingOf, readOpening } from "#session/opening/opening.ts"
import { directNetwork } from "./direct-network.ts"

const [path = "", url = "", cache = "", osVersion = release()] = process.argv.slice(2)

const opening = readOpening(path)
if (!opening.ok) throw new Error(opening.failure)
const projects = dirname(dirname(path))
const state = dirname(projects)
const port = openModels([anthropicProvider({ baseUrl: url, apiKey: "test" })], {
  policy: { hasFallback: () => false },
  network: directNetwork(),
  clock: systemClock,
  ids: systemIds,
})
const live: LiveHalf = {
  id: path.replace(/^.*\/|\.jsonl$/g, ""),
  log: { kind: "resume", path },
  sessionLogs: openSessionLogs({ projects, slug: dirname(path).replace(/^.*\//, "") }),
  place: {
    home: dirname(state),
    stateFolder: state,
    network: directNetwork(),
    childEnv: () => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: dirname(state), LANG: "C.UTF-8" }),
    ripgrep: ripgrepWhenNeeded(cache),
    platform: process.platform,
    osVersion,
    version: "0.0.0",
    pid: process.pid,
  },
  model: { port, factsOf: port.factsOf, prices: openPrices({ listed: port.priceOf }) },
  permissions: { bypassAvailable: false, rules: [] },
  shell: {},
  clock: systemClock,
  ids: systemIds,
}
const options = openedAs(opening.value, live)
const opened = await openSession(options)
if (!opened.ok) throw new Error(opened.failure.message)
await opened.value.submit({ type: "prompt", content: [{ type: "text", text: "and more" }], when: "queue" })
await opened.value.ask({ type: "settled" })
await opened.value.close()
await Bun.write(Bun.stdout, JSON.stringify(openingOf(options)))
process.exit(0)
