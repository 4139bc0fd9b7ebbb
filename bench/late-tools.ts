/** What does a read step cost while an MCP server has listed 200 tools that come late, beside one without them? */

import { type AgentRun, gaps, runAgent } from "./kit/agent.ts"
import { calls, reads, says } from "./kit/answers.ts"
import { type BareProgram, compileBare } from "./kit/bare-program.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { readBody } from "./kit/request-body.ts"
import { answer, rowOf } from "./kit/row.ts"
import { giveServer } from "./kit/tool-server.ts"

const steps = 50
const tools = 200
const settleMs = 200

const server = compileBare("tool-server")
const listed = await runSteps(server, "kept")
const ours: number[] = []
const floor: number[] = []
const cpu: number[] = []
const cpuFloor: number[] = []
for (let i = 0; i < 5; i++) {
  const late = await runSteps(server, "dropped")
  const plain = await runSteps(undefined, "dropped")
  ours.push(...gaps(late))
  floor.push(...gaps(plain))
  cpu.push(late.cpuMs / steps)
  cpuFloor.push(plain.cpuMs / steps)
}
server.remove()

// A figure of nothing would be no answer.
const names = readBody(listed.exchanges[0]?.body ?? "{}").tools.filter(({ name }) => String(name).startsWith("mcp__"))
if (names.length !== tools && !listed.exchanges[0]?.body.includes(`tool_${tools - 1}`))
  throw new Error(`Only ${names.length} of ${tools} tools were before the model.`)

answer(
  rowOf({
    what: `overhead of a read step, ${tools} late tools`,
    ours: median(ours),
    unit: "ms",
    floor: { name: "without them", value: median(floor) },
    note: `p95 ${shown(percentile(ours, 95), "ms")}`,
  }),
  rowOf({
    what: `CPU per step, ${steps} read steps, ${tools} late tools`,
    ours: median(cpu),
    unit: "ms",
    floor: { name: "without them", value: median(cpuFloor) },
  }),
)

async function runSteps(bare: BareProgram | undefined, bodies: "kept" | "dropped"): Promise<AgentRun> {
  const place = makePlace({ files: steps })
  if (bare) giveServer(place, bare, tools)
  await Bun.sleep(settleMs)
  const answers = [...place.files.map((path, i) => [calls(i, reads(path))]), [says("Done.")]]
  try {
    return await runAgent({ place, answers, bodies })
  } finally {
    place.remove()
  }
}
