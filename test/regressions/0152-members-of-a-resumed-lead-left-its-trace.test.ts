/** A team whose members are processes: one trace, in which each member hangs from the call that started it. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { openCollector, spansIn } from "../kit/telemetry/collector.ts"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { cast, type Cast } from "../suite/subagents/cast.ts"
import { create, heard, member, upon } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

const id = "0a1b2c3d-1111-4222-8333-444455556667"
const outside = (digit: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`
const oks = Array.from({ length: 10 }, () => heard)

async function play(place: Place, argv: readonly string[], scenario: Cast, env: { readonly [name: string]: string }) {
  const more = ["--teammate-mode", "process", "--allowedTools", "Bash"]
  const run = await runCodewright({ place, argv: ["-p", ...argv, ...more], scenario: cast(scenario), env })
  await until(() => processesIn(place).length === 0)
  expect(run.code).toBe(0)
}

test("members in processes are children of the calls that started them, also for a lead that is resumed elsewhere", async () => {
  using place = openPlace()
  await using collector = openCollector()
  const on = { CODEWRIGHT_ENABLE_TELEMETRY: "1", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const works = (name: string) => [calls(bash(`echo $TRACEPARENT > ${name}.txt`)), says("Done.")]
  const first = { main: [calls(create), calls(member("ann")), ...oks], ann: works("ann") }
  await play(place, ["go", "--session-id", id], first, { ...on, TRACEPARENT: outside("a") })
  const then = upon("and bob", calls(member("bob")), ...oks)
  await play(
    place,
    ["and bob", "--resume", id],
    { main: then, bob: works("bob") },
    { ...on, TRACEPARENT: outside("b") },
  )

  const spans = collector.spans()
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(["a".repeat(32)]))
  for (const name of ["ann", "bob"]) {
    const [, traceId, spanId] = readFileSync(join(place.work, `${name}.txt`), "utf8").split("-")
    expect({ name, traceId }).toEqual({ name, traceId: "a".repeat(32) })
    const above = ancestors(spans, String(spanId))
    expect({ name, above }).toEqual({
      name,
      above: ["tool.call", "step", "turn", "agent", "tool.call", "step", "turn", "session"],
    })
  }
  const exported = await runCodewright({ place, argv: ["sessions", "export", id, "--otlp"] })
  const ids = (all: readonly JsonObject[]): readonly unknown[] =>
    [...new Set(all.map(({ spanId }) => spanId))].toSorted()
  expect(ids(spansIn(JSON.parse(exported.stdout)))).toEqual(ids(spans))
})

/** The names of a span and of those around it, from the inside to the outermost one that was sent. */
function ancestors(spans: readonly JsonObject[], spanId: string): readonly string[] {
  const span = spans.find((each) => each.spanId === spanId)
  return span ? [String(span.name), ...ancestors(spans, String(span.parentSpanId))] : []
}
