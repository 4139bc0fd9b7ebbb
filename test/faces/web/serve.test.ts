/** `codewright serve` as it is shipped: it starts with nothing configured, says where it is, and ends when it is told to. */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { openUsualServer } from "../../kit/database/engines.ts"
import { asScenario, lessCompiling, program as usualProgram } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { type TemporaryFolder, temporaryFolder } from "../../kit/tmp.ts"
import { until } from "../../kit/until.ts"

interface Ready {
  readonly type: "ready"
  readonly url: string
  readonly token: string
  readonly pid: number
}

/** As it is shipped, also where all others run the source. */
const shipped = usualProgram.endsWith("/bin/codewright") ? await builtProgram() : usualProgram

const environmentOf = (folder: TemporaryFolder, model = "") => ({
  HOME: folder.join(),
  PATH: process.env["PATH"],
  USER: "ann",
  ANTHROPIC_API_KEY: "any",
  ...lessCompiling,
  ...(model !== "" && { ANTHROPIC_BASE_URL: model }),
})

async function start(folder: TemporaryFolder, ...argv: readonly string[]) {
  return startWith(environmentOf(folder), folder, ...argv)
}

async function startWith(env: ReturnType<typeof environmentOf>, folder: TemporaryFolder, ...argv: readonly string[]) {
  const program = Bun.spawn([shipped, "serve", ...argv], {
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

test("a server with a database of its own is ready, refuses a second one, ends cleanly, and is the same the next time; what waits when it is killed is done once by the one after it", async () => {
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

  const touch = { content: [{ tool: "Bash", input: { command: "echo once >> made.txt" } }] }
  const simulator = valueOf(await openSimulator({ scenario: asScenario([touch, "It \u001b[31mis\u001b[0m there."]) }))
  const again = await startWith(environmentOf(folder, simulator.url), folder, "--port", "0", "--json")
  const later = JSON.parse(again.first) as Ready
  // Whoever starts it gets a token for this run; what was signed in stays signed in.
  expect(later.token).not.toBe(ready.token)
  expect(readFileSync(file, "utf8")).toBe(kept)
  const id = await waits(folder, later)
  await again.end("SIGKILL")
  const last = await startWith(environmentOf(folder, simulator.url), folder, "--port", "0", "--json")
  await goesOn(folder, JSON.parse(last.first) as Ready, id)
  expect(simulator.requests).toHaveLength(2)
  expect(await last.end("SIGINT")).toEqual({ code: 130, out: "", err: "" })
  await simulator.close()
}, 300_000)

test("people get a link that signs them in, and a warning when others can reach the server", async () => {
  using folder = temporaryFolder()
  const alone = await (await start(folder, "--host", "0.0.0.0", "--port", "0")).failed()
  expect([alone.code, alone.err]).toEqual([1, expect.stringContaining("add --unencrypted") as string])
  await using postgres = await openUsualServer()
  const database = postgres ? ["--database", postgres.url] : []
  const server = await start(folder, "--host", "0.0.0.0", "--unencrypted", "--port", "0", ...database)
  const [, link = ""] = /Sign in .*: (http\S+)/.exec(server.first) ?? []
  expect((await fetch(link, { redirect: "manual" })).headers.get("set-cookie")).toContain("HttpOnly")
  expect(server.first).toContain("codewright serve token")
  const { err } = await server.end("SIGTERM")
  expect(err).toContain("warning: other machines can reach 0.0.0.0")
}, 300_000)

interface Shown {
  readonly id: string
  readonly stage: string
  readonly worker: unknown
  readonly pending: readonly unknown[]
  readonly result?: { readonly ok: boolean; readonly text: string }
}

async function ask({ url, token }: Ready, path: string, body?: object): Promise<Shown> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}${path}`, {
    headers,
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  })
  return (await response.json()) as Shown
}

const reaches = (server: Ready, id: string, stage: string): Promise<Shown> =>
  until(async () => {
    const session = await ask(server, `/api/sessions/${id}`)
    return session.stage === stage && session
  })

/** A session that waits without a worker. */
async function waits(folder: TemporaryFolder, server: Ready): Promise<string> {
  const title = "A \u001b]0;owned\u0007title \u202eand <script>"
  const work = folder.join("work")
  mkdirSync(work)
  const { id } = await ask(server, "/api/sessions", { prompt: "Make it", workspace: { path: work }, title })
  const pending = [{ kind: "tool", details: { folder: "shared" } }]
  expect(await reaches(server, id, "awaiting_tool_approval")).toMatchObject({ worker: null, pending })
  return id
}

/** It is listed and answered from a terminal, and continues. */
async function goesOn(folder: TemporaryFolder, server: Ready, id: string): Promise<void> {
  const { url, token } = server
  const work = folder.join("work")
  let tokenShown = ""
  const terminal = (...argv: readonly string[]) =>
    Bun.spawn([shipped, ...argv, "--server", url], {
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
  expect(shown).toContain("* Bash echo once >> made.txt")
  expect(shown).toContain("It is there.")
  expect(shown).not.toContain("\u001b[31m")
  expect(readFileSync(join(work, "made.txt"), "utf8")).toBe("once\n")
  const text = "It \u001b[31mis\u001b[0m there."
  expect((await reaches(server, id, "completed")).result).toEqual({ ok: true, text })
}
