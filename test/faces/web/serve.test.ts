/** `codewright serve` as it is shipped: it starts with nothing configured, says where it is, and ends when it is told to. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { asScenario } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { type TemporaryFolder, temporaryFolder } from "../../kit/tmp.ts"

interface Ready {
  readonly type: "ready"
  readonly url: string
  readonly token: string
  readonly pid: number
}

const environmentOf = (folder: TemporaryFolder, model = "") => ({
  HOME: folder.join(),
  PATH: process.env["PATH"],
  USER: "ann",
  ANTHROPIC_API_KEY: "any",
  ...(model !== "" && { ANTHROPIC_BASE_URL: model }),
})

async function start(folder: TemporaryFolder, ...argv: readonly string[]) {
  return startWith(environmentOf(folder), folder, ...argv)
}

async function startWith(env: ReturnType<typeof environmentOf>, folder: TemporaryFolder, ...argv: readonly string[]) {
  const program = Bun.spawn([await builtProgram(), "serve", ...argv], {
    cwd: folder.join(),
    env,
    stdout: "pipe",
    stderr: "pipe",
  })
  const reader = program.stdout.getReader()
  const { value } = await reader.read()
  const first = Buffer.from(value ?? []).toString()
  return {
    first,
    async end(signal: NodeJS.Signals) {
      program.kill(signal)
      const code = await program.exited
      const { value: more } = await reader.read()
      return { code, out: Buffer.from(more ?? []).toString(), err: await program.stderr.text() }
    },
    failed: async () => ({ code: await program.exited, err: await program.stderr.text() }),
  }
}

const me = async ({ url, token }: Ready) =>
  (await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).json()

test("a server with a database of its own is ready, refuses a second one, ends cleanly, and is the same and does its work the next time", async () => {
  using folder = temporaryFolder()
  const server = await start(folder, "--port", "0", "--json")
  const ready = JSON.parse(server.first) as Ready
  expect(ready).toEqual({
    type: "ready",
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    token: expect.stringMatching(/^[\w-]{40,}$/) as string,
    pid: expect.any(Number) as number,
  })
  expect(await me(ready)).toEqual({ name: "ann", role: "admin" })
  const file = folder.join(".codewright/server-token")
  const kept = readFileSync(file, "utf8")
  expect([kept.includes(ready.token), statSync(file).mode & 0o777]).toEqual([false, 0o600])

  const second = await start(folder, "--port", "0", "--json")
  const refusal = await second.failed()
  expect([second.first, refusal.code]).toEqual(["", 1])
  expect(refusal.err).toContain(`in use by process ${ready.pid}. Stop that process first`)

  expect(await server.end("SIGTERM")).toEqual({ code: 143, out: "", err: "" })

  const touch = { content: [{ tool: "Bash", input: { command: "touch made.txt" } }] }
  const simulator = valueOf(await openSimulator({ scenario: asScenario([touch, "It \u001b[31mis\u001b[0m there."]) }))
  const again = await startWith(environmentOf(folder, simulator.url), folder, "--port", "0", "--json")
  const later = JSON.parse(again.first) as Ready
  // Whoever starts it gets a token for this run; what was signed in stays signed in.
  expect(later.token).not.toBe(ready.token)
  expect(readFileSync(file, "utf8")).toBe(kept)
  await works(folder, later)
  expect(await again.end("SIGINT")).toEqual({ code: 130, out: "", err: "" })
  await simulator.close()
}, 300_000)

test("people get a link that signs them in, and a warning when others can reach the server", async () => {
  using folder = temporaryFolder()
  const alone = await (await start(folder, "--host", "0.0.0.0", "--port", "0")).failed()
  expect([alone.code, alone.err]).toEqual([1, expect.stringContaining("add --unencrypted") as string])
  const server = await start(folder, "--host", "0.0.0.0", "--unencrypted", "--port", "0")
  const [, link = ""] = /Sign in .*: (http\S+)/.exec(server.first) ?? []
  expect((await fetch(link, { redirect: "manual" })).headers.get("set-cookie")).toContain("HttpOnly")
  expect(server.first).toContain("codewright serve token")
  const { err } = await server.end("SIGTERM")
  expect(err).toContain("warning: other machines can reach 0.0.0.0")
}, 300_000)

/** A session waits without a worker, is listed and answered from a terminal, and continues. */
async function works(folder: TemporaryFolder, { url, token }: Ready): Promise<void> {
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}${path}`, {
      headers,
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    })
    return (await response.json()) as { id: string; stage: string; worker: unknown; pending: readonly unknown[] }
  }
  const title = "A \u001b]0;owned\u0007title \u202eand <script>"
  const work = folder.join("work")
  mkdirSync(work)
  const { id } = await ask("/api/sessions", { prompt: "Make it", workspace: { path: work }, title })
  const until = async (stage: string) => {
    for (;;) {
      const session = await ask(`/api/sessions/${id}`)
      if (session.stage === stage) return session
      await Bun.sleep(20)
    }
  }
  const pending = [{ kind: "tool", details: { folder: "shared" } }]
  expect(await until("awaiting_tool_approval")).toMatchObject({ worker: null, pending })
  const program = await builtProgram()
  let tokenShown = ""
  const terminal = (...argv: readonly string[]) =>
    Bun.spawn([program, ...argv, "--server", url], {
      cwd: work,
      env: { ...environmentOf(folder), ...(tokenShown !== "" && { CODEWRIGHT_TOKEN: tokenShown }) },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    })
  expect(await terminal("sessions", "list").stderr.text()).toContain("codewright serve token prints one")
  tokenShown = token
  const listed = await terminal("sessions", "list").stdout.text()
  expect(listed).toContain(`${id}  `)
  expect(listed).toContain("awaiting tool approval")
  expect(["\u001b", "\u0007", "\u202e"].filter((each) => listed.includes(each))).toEqual([])
  const nobody = terminal("--resume", "0nobody")
  expect(await nobody.stderr.text()).toContain(`No session id on ${url} starts with '0nobody'.`)
  expect(await nobody.exited).toBe(1)
  const watch = terminal("--resume", id.slice(0, 8))
  let shown = ""
  for await (const piece of watch.stdout) {
    shown += Buffer.from(piece).toString()
    if (shown.includes("differently: ") && !shown.includes("touched")) {
      shown += "touched"
      // Whatever is typed within a moment after a question was meant for something else.
      await Bun.sleep(400)
      void watch.stdin.write("yes\n")
      await watch.stdin.flush()
    }
    if (shown.includes("[completed]")) break
  }
  watch.kill("SIGINT")
  expect(await watch.exited).toBe(0)
  expect(shown).toContain("> Make it")
  expect(shown).toContain("* Bash touch made.txt")
  expect(shown).toContain("It is there.")
  expect(shown).not.toContain("\u001b[31m")
  expect(existsSync(join(work, "made.txt"))).toBe(true)
  await until("completed")
}
