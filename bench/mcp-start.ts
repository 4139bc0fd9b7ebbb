/** How much later is the first request when an MCP server is waited for, beside that server's own start? */

import { runAgent, startMs } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"
import { giveServer, serverStartMs } from "./kit/tool-server.ts"

const server = compileBare("tool-server")
const [without, withOne] = [makePlace(), makePlace()]
giveServer(withOne, server, 10)
const plain: number[] = []
const served: number[] = []
const floor: number[] = []
for (let i = 0; i < 20; i++) {
  plain.push(startMs(await runAgent({ answers: [[says("Done.")]], place: without })))
  served.push(startMs(await runAgent({ answers: [[says("Done.")]], place: withOne })))
  floor.push(await serverStartMs(server, 10))
}
without.remove()
withOne.remove()
server.remove()

answer(
  rowOf({
    what: "an MCP server before the first request",
    ours: median(served) - median(plain),
    unit: "ms",
    floor: { name: "the server's own start", value: median(floor) },
    note: `start ${shown(median(served), "ms")} with it, ${shown(median(plain), "ms")} without`,
  }),
  rowOf({
    what: "an MCP server before the first request, beyond its own start",
    // Of each round by itself: the machine is not the same from round to round.
    ours: median(served.map((ms, i) => ms - (plain[i] ?? Number.NaN) - (floor[i] ?? Number.NaN))),
    unit: "ms",
    toReach: 30,
  }),
)
