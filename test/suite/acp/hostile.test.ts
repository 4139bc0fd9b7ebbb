/** Editors that send nonsense, stop reading, or die: a clear end, a whole log, and no process left. */

import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { loadLog } from "#ground/transcript/load.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { environmentOf, linesOf, program, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { type EditorWorld, openEditor, openWorld } from "../../kit/acp/editor.ts"

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
const initialize = line({ id: 1, method: "initialize", params: { protocolVersion: 1 } })

const said = async (stdin: string | Uint8Array): Promise<{ code: number; lines: readonly JsonObject[] }> => {
  const { code, stdout } = await runCodewright({ argv: ["acp"], stdin })
  return { code, lines: linesOf(stdout) }
}

test("garbage, lists, unknown methods and wrong fields are answered with errors, and the next request works", async () => {
  const { code, lines } = await said(
    [
      "nonsense\n",
      "[]\n",
      "{}\n",
      line({ id: 2, method: "no/such" }),
      line({ id: 3, method: "session/new", params: { cwd: 7, mcpServers: [] } }),
      line({ id: 4, method: "session/new", params: { cwd: "relative", mcpServers: [] } }),
      line({ id: 5, method: "session/prompt", params: { sessionId: "none", prompt: [{ type: "audio" }] } }),
      line({ id: 6, method: "session/prompt", params: { sessionId: "none", prompt: [] } }),
      line({ id: 7, method: "session/load", params: { sessionId: "../../etc", cwd: "/", mcpServers: [] } }),
      line({ id: null, method: "initialize", params: {} }),
      line({ method: "session/cancel", params: {} }),
      line({ id: 99, result: {} }),
      initialize,
    ].join(""),
  )
  expect(code).toBe(0)
  const errors = lines.flatMap(({ id, error }) => (isObject(error) ? [[id, error.code]] : []))
  expect(errors.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))).toEqual([
    [2, -32601],
    [3, -32602],
    [4, -32602],
    [5, -32602],
    [6, -32002],
    [7, -32002],
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [null, -32600],
  ])
  expect(lines.find(({ id }) => id === 1)).toMatchObject({ result: { protocolVersion: 1 } })
})

test("half a line, a line that is no UTF-8, and 100 MB without an end", async () => {
  expect(await said(initialize.slice(0, 20))).toMatchObject({ code: 0, lines: [{ error: { code: -32700 } }] })
  const bytes = new Uint8Array([0xff, 0xfe, 10, ...new TextEncoder().encode(initialize)])
  expect((await said(bytes)).lines).toMatchObject([{ error: { code: -32700 } }, { id: 1, result: {} }])
  const huge = `{"jsonrpc":"2.0","method":"${"x".repeat(100_000_000)}"}\n${initialize}`
  expect((await said(huge)).lines).toMatchObject([{ error: { code: -32700 } }, { id: 1, result: {} }])
})

test("an editor that is gone while a command runs: the command ends, and the log is whole", async () => {
  await using world = await openWorld([calls(bash("sleep 1234")), says("Never.")])
  await using editor = await openEditor(world, { argv: ["--allowed-tools", "Bash(sleep:*)"] })
  const { sessionId } = await editor.newSession()
  void editor.prompt(sessionId, "go").catch(() => {})
  await editor.until((message) => JSON.stringify(message).includes('"in_progress"'))
  expect(await editor.end()).toBe(0)
  expect(kindsIn(world)).toContain("turn_end")
  expect(Bun.spawnSync(["pgrep", "-f", "^sleep 1234"]).stdout.toString()).toBe("")
})

test("an editor that stops reading and is then killed: the agent ends too, and the log is whole", async () => {
  await using world = await openWorld([says("word ".repeat(200_000)), says("Never.")])
  // What the shell starts is the agent; nobody reads what it writes.
  const child = Bun.spawn([program, "acp"], {
    cwd: world.place.work,
    env: environmentOf(world.place, world.simulator.url),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const reader = child.stdout.getReader()
  void child.stdin.write(
    initialize + line({ id: 2, method: "session/new", params: { cwd: world.place.work, mcpServers: [] } }),
  )
  void child.stdin.flush()
  let text = ""
  while (!text.includes("sessionId")) text += new TextDecoder().decode((await reader.read()).value)
  const sessionId = /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? ""
  const prompt = [{ type: "text", text: "go" }]
  void child.stdin.write(line({ id: 3, method: "session/prompt", params: { sessionId, prompt } }))
  void child.stdin.flush()
  while (!text.includes("word")) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  await child.stdin.end()
  expect(await child.exited).toBe(0)
  expect(kindsIn(world)).toContain("prompt")
})

/** The kinds of entries of the only session, all of which can be read. */
function kindsIn({ place }: EditorWorld): readonly string[] {
  const projects = join(place.state, "projects")
  const logs = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"))
  expect(logs).toHaveLength(1)
  const loaded = loadLog(join(projects, logs[0] ?? ""))
  if (!loaded.ok) throw new Error(loaded.failure.kind)
  return loaded.value.entries.map(({ kind }) => kind)
}
