import { expect, test } from "bun:test"
import type { McpConnection, McpFailure, McpHost } from "#ground/mcp/connection.ts"
import type { McpServerConfig } from "#ground/mcp/server-config.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type LiveServer, openServer } from "#kits/mcp/server.ts"
import { openHandClock } from "../../../kit/hand-clock.ts"

const calls = { continued: () => undefined, keep: async () => ok(undefined), done: () => {}, isLeaving: () => false }

const config: { readonly [K in "stdio" | "http"]: McpServerConfig } = {
  stdio: { kind: "stdio", command: "x", args: [], env: {} },
  http: { kind: "http", url: "https://a.example", headers: {} },
}

const connection = (more: Partial<McpConnection> = {}): McpConnection => ({
  instructions: undefined,
  about: undefined,
  identity: undefined,
  list: async () => ok([]),
  revision: undefined,
  hasSkills: false,
  isFresh: () => true,
  call: async () => ok({ kind: "complete", result: { content: [], isError: false } }),
  getTask: async (id) => ok({ id, status: "working" }),
  answerTask: async () => ok(undefined),
  cancelTask: () => {},
  complete: async () => ok([]),
  watchResources: () => {},
  readResource: async () => ok([]),
  loadSkill: async () => ok(""),
  readFolder: async () => ok([]),
  getSkill: async () => failed({ kind: "other", message: "" }),
  getPrompt: async () => ok([]),
  rootsChanged: () => {},
  close: async () => {},
  ...more,
})

interface Life {
  readonly server: LiveServer
  readonly clock: ReturnType<typeof openHandClock>
  /** When each try was made. */
  readonly tries: number[]
  readonly warnings: string[]
  /** Ends the connection that stands. */
  readonly lose: (why?: string) => void
  /** What the next tries come to. */
  come: Result<McpConnection, McpFailure>
}

function openLife(kind: "stdio" | "http", come: Life["come"] = ok(connection())): Life {
  const clock = openHandClock()
  const tries: number[] = []
  const warnings: string[] = []
  let host: McpHost | undefined
  const server = openServer(
    { name: "srv", source: "user", config: ok(config[kind]) },
    {
      async connect(_, given) {
        tries.push(clock.now())
        host = given
        return life.come
      },
      roots: () => [],
      elicit: async () => ({ action: "cancel" }),
      onElicited: () => {},
      onUpdated: () => {},
      calls,
      clock,
      startMs: 30_000,
      turn: async () => () => {},
      onChange: () => {},
      warn: (text) => warnings.push(text),
    },
  )
  const life: Life = { server, clock, tries, warnings, come, lose: (why = "gone") => host?.onClosed(why) }
  return life
}

const lost = failed<McpFailure>({ kind: "closed", message: "Nobody there." })

test("a lost address is tried after 1, 2, 4, 8 and 16 seconds, and then given up", async () => {
  const life = openLife("http")
  await life.server.start()
  life.come = lost
  life.lose()
  await life.clock.pass(200_000)
  expect(life.tries).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000])
  expect(life.server.state()).toMatchObject({ status: "failed", reason: "Nobody there." })
  expect(life.warnings).toEqual([
    "The MCP server srv was lost (gone); it is being reached again.",
    "The MCP server srv is not available. Nobody there.",
  ])
})

test("an address that comes back is connected again, and a login that is over is not retried", async () => {
  const life = openLife("http")
  await life.server.start()
  life.lose()
  await life.clock.pass(1_000)
  expect(life.server.state().status).toBe("connected")
  life.come = failed({ kind: "needs_login", message: "The server wants a login." })
  life.lose()
  await life.clock.pass(200_000)
  expect(life.server.state().status).toBe("needs_login")
  expect(life.tries).toHaveLength(3)
})

test("a program that ends is started again at once, the next time not before a minute is over, and not for ever", async () => {
  const life = openLife("stdio")
  await life.server.start()
  for (let i = 0; i < 8; i++) {
    life.lose()
    await life.clock.pass(100_000)
  }
  expect(life.tries).toHaveLength(6)
  const pauses = life.tries.slice(2).map((at, i) => at - (life.tries[i + 1] ?? 0))
  for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(60_000)
  expect(life.server.state().status).toBe("failed")
})

test("two crashes in a row: the second start waits for its minute", async () => {
  const life = openLife("stdio")
  await life.server.start()
  life.lose()
  await life.clock.pass(0)
  life.lose()
  await life.clock.pass(59_999)
  expect(life.tries).toEqual([0, 0])
  await life.clock.pass(1)
  expect(life.tries).toEqual([0, 0, 60_000])
})

test("while it is being reached again its tools stay, and a call that waits long enough is told what is wrong", async () => {
  const tool = { name: "t", inputSchema: { type: "object" } }
  const life = openLife("stdio", ok(connection({ list: async (what) => ok(what === "tools" ? [tool] : []) })))
  await life.server.start()
  life.lose()
  await life.clock.pass(0)
  life.lose("it crashed")
  await life.clock.pass(0)
  expect(life.server.state()).toMatchObject({ status: "connecting", tools: [tool] })
  const { signal } = new AbortController()
  const called = life.server.call({ name: "t", input: {}, callId: "c" }, { signal, timeoutMs: 1, onProgress: () => {} })
  await life.clock.pass(15_000)
  expect(await called).toEqual(failed({ kind: "closed", message: "srv is not connected: it crashed" }))
})

test("what is stopped is not reached again, and what comes of an earlier life is not heard", async () => {
  const life = openLife("http")
  await life.server.start()
  await life.server.stop("disabled")
  life.lose()
  await life.clock.pass(100_000)
  expect([life.server.state().status, life.tries]).toEqual(["disabled", [0]])
})

test("a server that cannot be understood is not tried", async () => {
  const server = openServer(
    { name: "bad", source: "user", config: failed("It has no command.") },
    {
      connect: () => Promise.reject(new Error("it was tried")),
      roots: () => [],
      elicit: async () => ({ action: "cancel" }),
      onElicited: () => {},
      onUpdated: () => {},
      calls,
      clock: openHandClock(),
      startMs: 1,
      turn: async () => () => {},
      onChange: () => {},
      warn: () => {},
    },
  )
  await server.start()
  expect(server.state()).toMatchObject({ status: "failed", reason: "It has no command.", kind: "unknown" })
})
