/** Telemetry of the program itself: off without a module of it, on by variables, never by a project. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { bash, calls } from "../../kit/script.ts"
import { openCollector, spansIn } from "../../kit/telemetry/collector.ts"
import { asScenario, environmentOf, openPlace, runCodewright, type Place } from "../../kit/run-codewright.ts"

const root = resolve(import.meta.dir, "../../..")
const on = (url: string): { readonly [name: string]: string } => ({
  CODEWRIGHT_ENABLE_TELEMETRY: "1",
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
})

const id = "0a1b2c3d-1111-4222-8333-444455556666"

/** Runs from source and lists the modules of telemetry that were loaded. */
async function loadedModules(place: Place, env: { readonly [name: string]: string }): Promise<readonly string[]> {
  const list = join(place.path, "loaded.txt")
  const preload = join(place.path, "list-modules.ts")
  writeFileSync(list, "")
  writeFileSync(
    preload,
    `import { appendFileSync, readFileSync } from "node:fs"
Bun.plugin({ name: "list", setup: (build) => build.onLoad({ filter: /\\/src\\/.*\\.ts$/ }, ({ path }) => {
  appendFileSync(${JSON.stringify(list)}, path + "\\n")
  return { contents: readFileSync(path, "utf8"), loader: "ts" }
}) })`,
  )
  const simulator = await openSimulator({ scenario: asScenario([calls(bash("echo one"), bash("echo two")), "Hi."]) })
  if (!simulator.ok) throw new Error(simulator.failure.message)
  const argv = ["--no-env-file", "--config=/dev/null", "--no-install", "--preload", preload, join(root, "src/main.ts")]
  const child = Bun.spawn([process.execPath, ...argv, "--", "-p", "hello", "--allowedTools", "Bash"], {
    cwd: place.work,
    env: environmentOf(place, simulator.value.url, env),
    stdout: "pipe",
    stderr: "pipe",
  })
  expect(await child.stdout.text()).toContain("Hi.")
  await child.exited
  await simulator.value.close()
  const all = readFileSync(list, "utf8").trim().split("\n")
  expect(all.length).toBeGreaterThan(100)
  return all.map((path) => path.slice(path.indexOf("/src/") + 5)).filter((path) => path.includes("telemetry/"))
}

test("off, nothing of it is loaded, neither by the start nor by steps and calls", async () => {
  using place = openPlace()
  await using collector = openCollector()
  expect(await loadedModules(place, {})).toEqual([])
  expect(await loadedModules(place, on(collector.url))).toContain("ground/telemetry/telemetry.ts")
  expect(collector.spans().length).toBeGreaterThan(3)
})

test("a run is one trace; the export of its session is the same, and lists its connection", async () => {
  using place = openPlace()
  await using collector = openCollector()
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--session-id", id, "--allowedTools", "Bash"],
    env: { ...on(collector.url), OTEL_EXPORTER_OTLP_HEADERS: "x-team=red" },
    scenario: [calls(bash("echo hello")), "Done."],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
  expect(collector.received.map(({ headers }) => headers["x-team"])).toEqual(["red", "red", "red"])
  const exported = await runCodewright({ place, argv: ["sessions", "export", id, "--otlp"] })
  const byId = (spans: readonly { readonly [key: string]: unknown }[]): readonly unknown[] =>
    spans.toSorted((a, b) => (String(a.spanId) < String(b.spanId) ? -1 : 1))
  expect(byId(spansIn(JSON.parse(exported.stdout)))).toEqual(byId(collector.spans()))
  const shown = await runCodewright({ place, argv: ["sessions", "show", id, "--connections"] })
  expect(shown.stdout).toContain(`127.0.0.1:${new URL(collector.url).port}  telemetry  once`)
})

test("a project can neither switch it on nor choose its address", async () => {
  await using collector = openCollector()
  const env = { ...on(collector.url), OTEL_TRACES_EXPORTER: "otlp" }
  using place = openPlace({
    ".codewright/settings.json": JSON.stringify({ telemetry: { enabled: true, endpoint: collector.url }, env }),
    ".claude/settings.json": JSON.stringify({ env, otelHeadersHelper: "touch helped" }),
  })
  const run = await runCodewright({ place, argv: ["-p", "go", "--trust"], scenario: ["Done."] })
  expect(run.code).toBe(0)
  expect(run.stderr).toContain("telemetry")
  expect(collector.received).toEqual([])
  expect(existsSync(join(place.work, "helped"))).toBe(false)
})

test("the user's settings do, and DISABLE_TELEMETRY is stronger", async () => {
  using place = openPlace()
  await using collector = openCollector()
  const settings = JSON.stringify({ telemetry: { enabled: true, endpoint: collector.url } })
  const argv = ["-p", "go", "--settings", settings]
  await runCodewright({ place, argv, env: { DISABLE_TELEMETRY: "1" }, scenario: ["Done."] })
  expect(collector.received).toEqual([])
  await runCodewright({ place, argv, scenario: ["Done."] })
  expect(collector.spans().length).toBeGreaterThan(3)
})

test("what is lost, or cannot be done, is said on standard error; the answer is the same", async () => {
  await using collector = openCollector(() => new Response("", { status: 400 }))
  const env = { ...on(collector.url), OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }
  const refused = await runCodewright({ argv: ["-p", "go"], env, scenario: ["Done."] })
  expect(refused).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(refused.stderr).toMatch(/^Telemetry: \d+ spans did not reach http:\S+\/v1\/traces: it answered 400\.\n$/)
  const spoken = { ...env, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }
  const grpc = await runCodewright({ argv: ["-p", "go"], env: spoken, scenario: ["Done."] })
  expect(grpc.stderr).toContain("OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and only http/json is supported.")
  const offline = await runCodewright({ argv: ["-p", "go", "--offline"], env, scenario: ["Done."] })
  expect(offline.stderr).toContain("No telemetry is sent to the collector.")
})

test("--debug narrows by subject, leaves out, masks, and goes to standard error where that is asked for", async () => {
  const key = `ghp_${"a1B2c3D4e5".repeat(4)}`
  const scenario = [calls(bash(`echo ${key}`)), "Done."]
  const debug = (...argv: string[]) =>
    runCodewright({ argv: ["-p", "go", "--allowedTools", "Bash", "--debug-to-stderr", ...argv], scenario })
  const kinds = (text: string): readonly string[] => [
    ...new Set(
      text
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[1] ?? ""),
    ),
  ]
  const narrowed = await debug("--debug", "http,permissions,!mode")
  expect(narrowed.stdout).toBe("Done.\n")
  expect(kinds(narrowed.stderr).toSorted()).toEqual(
    ["connection", "decision", "http", "reply_end", "request", "request_start"].toSorted(),
  )
  expect(narrowed.stderr).toMatch(
    /- http \{"why":"model","name":"anthropic","method":"POST","url":"http:[^"]+\/v1\/messages","status":200,"ms":\d+\}/,
  )
  const all = await debug("--debug=!http")
  expect(kinds(all.stderr)).toContain("result")
  expect(kinds(all.stderr)).not.toContain("http")
  expect(all.stderr).not.toContain(key)
  const wrong = await debug("--debug=htp")
  expect(wrong.stderr).toStartWith('No debug log: --debug knows no "htp".')
})
