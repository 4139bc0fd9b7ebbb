/** `codewright serve` as it is shipped: it starts with nothing configured, says where it is, and ends when it is told to. */

import { expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { builtProgram } from "../../kit/built-program.ts"
import { type TemporaryFolder, temporaryFolder } from "../../kit/tmp.ts"

interface Ready {
  readonly type: "ready"
  readonly url: string
  readonly token: string
  readonly pid: number
}

async function start(folder: TemporaryFolder, ...argv: readonly string[]) {
  const program = Bun.spawn([await builtProgram(), "serve", ...argv], {
    cwd: folder.join(),
    env: { HOME: folder.join(), PATH: process.env["PATH"], USER: "ann" },
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

test("a server with a database of its own is ready, refuses a second one, ends cleanly, and is the same the next time", async () => {
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
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([`${ready.token}\n`, 0o600])

  const second = await start(folder, "--port", "0", "--json")
  const refusal = await second.failed()
  expect([second.first, refusal.code]).toEqual(["", 1])
  expect(refusal.err).toContain(`in use by process ${ready.pid}. Stop that process first`)

  expect(await server.end("SIGTERM")).toEqual({ code: 143, out: "", err: "" })
  const again = await start(folder, "--port", "0", "--json")
  expect((JSON.parse(again.first) as Ready).token).toBe(ready.token)
  expect(await again.end("SIGINT")).toEqual({ code: 130, out: "", err: "" })
}, 240_000)

test("people get a link that signs them in, and a warning when others can reach the server", async () => {
  using folder = temporaryFolder()
  const server = await start(folder, "--host", "0.0.0.0", "--port", "0")
  const [, link = ""] = /Sign in .*: (http\S+)/.exec(server.first) ?? []
  expect((await fetch(link, { redirect: "manual" })).headers.get("set-cookie")).toContain("HttpOnly")
  expect(server.first).toContain(folder.join(".codewright/server-token"))
  const { err } = await server.end("SIGTERM")
  expect(err).toContain("warning: other machines can reach 0.0.0.0")
}, 240_000)
