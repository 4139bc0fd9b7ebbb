/** What does telemetry cost a step and a start, beside the same without it? */

import { gaps, startMs } from "./kit/agent.ts"
import { median } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"
import { runReads } from "./kit/steps.ts"

const collector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    await request.arrayBuffer()
    return Response.json({})
  },
})
const env = {
  CODEWRIGHT_ENABLE_TELEMETRY: "1",
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
}
/** Of a session that works for a while: loading what telemetry needs is in the start. */
const steps = 300
const off = { step: [] as number[], start: [] as number[], cpu: [] as number[] }
const on = { step: [] as number[], start: [] as number[], cpu: [] as number[] }
// In turns, so that a busy machine is equally busy for both.
for (let i = 0; i < 6; i++)
  for (const [kept, more] of [
    [off, {}],
    [on, { env }],
  ] as const) {
    const run = await runReads(steps, more)
    kept.step.push(median(gaps(run)))
    kept.start.push(startMs(run))
    kept.cpu.push(run.cpuMs / steps)
  }
await collector.stop(true)

const beside = (value: number) => ({ name: "telemetry off", value })
answer(
  rowOf({
    what: "a read step with telemetry",
    ours: median(on.step),
    unit: "ms",
    floor: beside(median(off.step)),
    toReach: median(off.step) * 1.03,
  }),
  rowOf({
    what: "processor time of a step with telemetry, start included",
    ours: median(on.cpu),
    unit: "ms",
    floor: beside(median(off.cpu)),
  }),
  rowOf({
    what: "start to first request with telemetry",
    ours: median(on.start),
    unit: "ms",
    floor: beside(median(off.start)),
  }),
)
