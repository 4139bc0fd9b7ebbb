/** The trace of a session: sent while it runs and made from its log, it is the same. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Answer, Question } from "#agent/words/question.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { encodeSpan, openEncoder } from "#ground/telemetry/otlp.ts"
import { noContents } from "#ground/telemetry/span.ts"
import { type StoredLog, traceOfLog } from "#ground/telemetry/trace-of-log.ts"
import { agentPlace } from "#ground/transcript/agent-place.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { openRemoteServer } from "../../kit/mcp/remote-server.ts"
import { remote, servers } from "../../kit/mcp/servers.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { attributesOf, type Collector, openCollector } from "../../kit/telemetry/collector.ts"
import { telemetryTo } from "../../kit/telemetry/telemetry-to.ts"
import { cast, resultsOf, task } from "../subagents/cast.ts"
import { add, allIdle, create, done, look, member, openTeamSession } from "../team/crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(60_000)

const own = (agentType: string, tools: readonly string[]): AgentDefinition => ({
  agentType,
  whenToUse: "Works.",
  systemPrompt: "Work.",
  tools,
  source: "project",
})

const allow = (question: Question): Answer =>
  question.ask.kind === "permission" ? { kind: "allow" } : { kind: "unanswered", why: "never asked" }

const stored = (path: string): StoredLog => {
  const loaded = loadLog(path, { torn: "leave" })
  return {
    entries: loaded.ok ? loaded.value.entries : [],
    agentLog: (id) => {
      const place = agentPlace(path.replace(/\.jsonl$/, ""), id)
      return place && stored(place.log)
    },
  }
}

const fromLog = (t: TestSession): readonly JsonObject[] =>
  [...traceOfLog(t.id, stored(t.logPath), noContents)].map((span) => JSON.parse(encodeSpan(span, openEncoder())))

const byId = (spans: readonly JsonObject[]): readonly JsonObject[] =>
  spans.toSorted((a, b) => (String(a.spanId) < String(b.spanId) ? -1 : 1))

const named = (spans: readonly JsonObject[], name: string): readonly JsonObject[] =>
  spans.filter((span) => span.name === name)

/** The names of the spans that it is in, outermost first, and its own. */
function pathOf(span: JsonObject, spans: readonly JsonObject[]): string {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return `${parent ? `${pathOf(parent, spans)} > ` : ""}${String(span.name)}`
}

function expectOneTree(spans: readonly JsonObject[]): void {
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  for (const span of spans) expect(pathOf(span, spans)).toStartWith("session")
}

test("calls, questions, hooks, servers and agents are one tree, the same live and from the log", async () => {
  await using collector = openCollector()
  const metas: unknown[] = []
  await using far = openRemoteServer({
    instead(_request, message) {
      const { _meta: meta } = isObject(message?.params) ? message.params : {}
      if (message?.method === "tools/call") metas.push(meta)
      return undefined
    },
  })
  const telemetry = telemetryTo(collector.url)
  await using t = await openTestSession({
    telemetry,
    mcp: servers([remote("far", far.url)]),
    allow: ["Bash", "mcp__far"],
    ask: ["Write"],
    answers: allow,
    agents: [own("boss", ["Task", "Bash"]), own("worker", ["Bash"])],
    hooks: {
      PreToolUse: [
        {
          matcher: "Write",
          hooks: [{ type: "command", command: 'echo $TRACEPARENT > "$CLAUDE_PROJECT_DIR/../hooked"' }],
        },
      ],
    },
    script: cast({
      main: [
        calls(bash("echo parent=$TRACEPARENT"), write("a.txt", "one\n")),
        calls(use("mcp__far__ping", {}), task("alpha", { subagent_type: "boss" })),
        says("Done."),
      ],
      alpha: [
        calls(bash("echo parent=$TRACEPARENT"), task("beta", { subagent_type: "worker" })),
        says("alpha is done"),
      ],
      beta: [says("beta is done")],
    }),
  })
  await t.prompt("go")
  await t.session.close()
  expect(await telemetry.close()).toEqual([])
  const live = collector.spans()
  expectOneTree(live)
  expect(byId(fromLog(t))).toEqual(byId(live))

  const traceId = t.id.replaceAll("-", "")
  expect(live[0]?.traceId).toBe(traceId)
  expect(new Set(live.map((span) => pathOf(span, live)))).toEqual(
    new Set([
      "session",
      "session > turn",
      "session > turn > step",
      "session > turn > step > model.request",
      "session > turn > step > tool.call",
      "session > turn > step > tool.call > tool.run",
      "session > turn > step > tool.call > hook",
      "session > turn > step > tool.call > permission.wait",
      "session > turn > step > tool.call > mcp.call",
      "session > turn > step > tool.call > agent",
      ...["turn", "turn > step", "turn > step > model.request", "turn > step > tool.call"].map(
        (path) => `session > turn > step > tool.call > agent > ${path}`,
      ),
      "session > turn > step > tool.call > agent > turn > step > tool.call > tool.run",
      "session > turn > step > tool.call > agent > turn > step > tool.call > agent",
      ...["turn", "turn > step", "turn > step > model.request"].map(
        (path) => `session > turn > step > tool.call > agent > turn > step > tool.call > agent > ${path}`,
      ),
    ]),
  )

  const callOf = (tool: string, depth: string): unknown =>
    live.find(
      (span) =>
        span.name === "tool.call" &&
        attributesOf(span)["gen_ai.tool.name"] === tool &&
        attributesOf(span)["codewright.chain.depth"] === depth,
    )?.spanId
  expect(resultsOf(t, "Bash")).toEqual([`parent=00-${traceId}-${String(callOf("Bash", "0"))}-01`])
  expect(t.read("../hooked").trim()).toBe(`00-${traceId}-${String(callOf("Write", "0"))}-01`)
  const mcpParent = `00-${traceId}-${String(callOf("mcp__far__ping", "0"))}-01`
  expect(metas).toEqual([expect.objectContaining({ traceparent: mcpParent })])
  const chains = new Set(live.flatMap((span) => attributesOf(span)["codewright.chain.id"] ?? []))
  expect(chains.size).toBe(1)
  expect(new Set(named(live, "turn").map((turn) => attributesOf(turn)["codewright.source"]))).toEqual(
    new Set(["main", "agent:boss", "agent:worker"]),
  )
})

test("the header of a request to a server names the span of its call", async () => {
  await using collector = openCollector()
  await using far = openRemoteServer()
  const telemetry = telemetryTo(collector.url)
  await using t = await openTestSession({
    telemetry,
    mcp: servers([remote("far", far.url)]),
    allow: ["mcp__far"],
    script: [calls(use("mcp__far__ping", {})), says("Done.")],
  })
  await t.prompt("go")
  const said = far.headers()?.get("traceparent")
  await t.session.close()
  await telemetry.close()
  const call = named(collector.spans(), "tool.call")[0]
  expect(said).toBe(`00-${String(call?.traceId)}-${String(call?.spanId)}-01`)
})

test("members of a team are in the trace of their lead", async () => {
  await using collector = openCollector()
  const telemetry = telemetryTo(collector.url)
  await using t = await openTeamSession({
    telemetry,
    script: cast({
      main: [
        calls(create),
        calls(add("the parser")),
        calls(member("ann")),
        says("It works."),
        says("Good."),
        says("Ok."),
      ],
      ann: [says("I am ready."), calls(done("1")), says("It is written.")],
    }),
  })
  await t.prompt("build it")
  await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
  await allIdle(t, 2)
  await t.settled()
  await t.session.close()
  await telemetry.close()
  const live = collector.spans()
  const log = fromLog(t)
  expect(new Set(live.map(({ traceId }) => traceId)).size).toBe(1)
  expect(live.some((span) => attributesOf(span)["codewright.source"] === "member:ann")).toBe(true)
  // A member that rests has not ended: only the log can say so far.
  const isOver = (span: JsonObject): boolean => attributesOf(span)["codewright.unfinished"] === undefined
  expect(byId(log.filter(isOver))).toEqual(byId(live))
  expectOneTree(log)
})

test("a session that another program started is part of its trace, also after a resume", async () => {
  await using collector = openCollector()
  const parent = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }
  const first = telemetryTo(collector.url)
  await using t = await openTestSession({
    telemetry: first,
    traceparent: `00-${parent.traceId}-${parent.spanId}-01`,
    script: [says("One."), says("Two.")],
  })
  await t.prompt("one")
  const second = telemetryTo(collector.url)
  const again = await t.reopen({ telemetry: second, traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` })
  await first.close()
  await again.prompt("two")
  await again.session.close()
  await second.close()
  const live = collector.spans()
  expect(new Set(live.map(({ traceId }) => traceId))).toEqual(new Set([parent.traceId]))
  expect(named(live, "turn")).toHaveLength(2)
  // Each process reports the session as far as it went; the last one knows the whole.
  expect(named(live, "session").map(({ parentSpanId }) => parentSpanId)).toEqual([parent.spanId, parent.spanId])
  const whole = new Map(live.map((span) => [span.spanId, span]))
  expect(byId(fromLog(again))).toEqual(byId([...whole.values()]))
})

test("what was under way when the process was killed is reported by the next, and by the log meanwhile", async () => {
  await using collector = openCollector()
  const first = telemetryTo(collector.url)
  await using t = await openTestSession({
    telemetry: first,
    answers: () => undefined,
    ask: ["Write"],
    allow: [],
    script: [calls(write("a.txt", "x\n")), says("Done.")],
  })
  t.say("write it")
  await t.until((event) => event.type === "question_open")
  const waiting = fromLog(t)
  const open = waiting.filter((span) => attributesOf(span)["codewright.unfinished"] === true)
  expect(open.map(({ name }) => name)).toEqual(["tool.call", "permission.wait", "step", "turn"])
  const second = telemetryTo(collector.url)
  const again = await t.reopen({ telemetry: second, answers: allow })
  await first.close()
  await again.settled()
  await again.session.close()
  await second.close()
  const live = collector.spans().filter(({ name }) => name !== "session")
  expect(byId(fromLog(again).filter(({ name }) => name !== "session"))).toEqual(byId(live))
})

test("events and metrics say what happened, under the names that are wanted", async () => {
  const told = async (env: { readonly [name: string]: string }): Promise<Collector> => {
    const collector = openCollector()
    const telemetry = telemetryTo(collector.url, env)
    await using t = await openTestSession({
      telemetry,
      script: [calls(write("a.txt", "one\ntwo\n"), bash("git commit --help >/dev/null; true")), says("Done.")],
    })
    await t.prompt("go")
    await t.session.close()
    await telemetry.close()
    return collector
  }
  await using ours = await told({})
  const happened = ["mode_change", "model_change", "user_prompt", "api_request", "api_request", "turn_end"]
  const ofCalls = ["tool_decision", "tool_decision", "tool_result", "tool_result"]
  expect(
    ours
      .records()
      .map(({ eventName }) => String(eventName))
      .toSorted(),
  ).toEqual([...happened, ...ofCalls].map((name) => `codewright.${name}`).toSorted())
  const ids = new Set(ours.spans().map(({ spanId }) => spanId))
  for (const record of ours.records()) expect(ids).toContain(record.spanId)
  const exporters = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" }
  await using theirs = await told({
    ...exporters,
    CODEWRIGHT_ENABLE_TELEMETRY: "0",
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  })
  expect(theirs.records().map(({ eventName }) => eventName)).toContain("claude_code.api_request")
  const names = (collector: Collector): readonly string[] => Object.keys(collector.metrics()).toSorted()
  expect(names(ours)).toEqual([
    "codewright.active_time.total",
    "codewright.code_edit_tool.decision",
    "codewright.commit.count",
    "codewright.cost.usage",
    "codewright.lines_of_code.count",
    "codewright.session.count",
    "codewright.token.usage",
    "codewright.tool.calls",
    "gen_ai.client.operation.duration",
    "gen_ai.client.token.usage",
    "gen_ai.execute_tool.duration",
  ])
  const renamed = ["active_time.total", "commit.count", "cost.usage", "lines_of_code.count", "token.usage"]
  for (const name of renamed) expect(names(theirs)).toContain(`claude_code.${name}`)
  expect(JSON.stringify(ours.metrics()["codewright.lines_of_code.count"])).toContain('"asInt":"2"')
})
