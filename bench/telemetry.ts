/** What does telemetry cost a step and a start, beside the same without it? And where it is configured and switched off? */

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
const configured = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` }
const env = { CODEWRIGHT_ENABLE_TELEMETRY: "1", ...configured }
/** Of a session that works for a while: loading what telemetry needs is in the start. */
const steps = 300
const rounds = 6
const figures = () => ({ step: [] as number[], start: [] as number[], cpu: [] as number[] })
const [none, off, on] = [figures(), figures(), figures()]
// In turns, so that a busy machine is equally busy for all.
for (let i = 0; i < rounds; i++)
  for (const [kept, more] of [
    [none, {}],
    [off, { env: configured }],
    [on, { env }],
  ] as const) {
    const run = await runReads(steps, more)
    kept.step.push(median(gaps(run)))
    kept.start.push(startMs(run))
    kept.cpu.push(run.cpuMs / steps)
  }
await collector.stop(true)

const without = (value: number) => ({ name: "nothing configured", value })
const beside = (value: number) => ({ name: "telemetry off", value })
answer(
  rowOf({
    what: "a read step, telemetry configured and off",
    ours: median(off.step),
    unit: "ms",
    floor: without(median(none.step)),
    toReach: median(none.step) * 1.01,
  }),
  rowOf({
    what: "start to first request, telemetry configured and off",
    ours: median(off.start),
    unit: "ms",
    floor: without(median(none.start)),
    toReach: median(none.start) * 1.01,
  }),
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
