/** The declarations that npm consumers get: a program of theirs compiles, and its mistakes do not. */

import { expect, test } from "bun:test"
import { cpSync, mkdirSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { openPlace } from "../../kit/run-codewright.ts"

const root = resolve(import.meta.dir, "../../..")

const good = `
import { type CanUseTool, createSdkMcpServer, openSession, query, type SDKMessage, tool } from "codewright"
import { z } from "zod"

const decide: CanUseTool = async (name) => (name === "Read" ? { behavior: "allow" } : { behavior: "deny", message: "no" })
const add = tool("add", "Adds", { a: { type: "number" } }, async ({ a }: { readonly a: number }) => ({
  content: [{ type: "text", text: String(a + 1) }],
}))
const subtract = tool("subtract", "Subtracts", { a: z.number(), b: z.number().default(1) }, async ({ a, b }) => ({
  content: [{ type: "text", text: (a - b).toFixed() }],
}))
const negate = tool("negate", "Negates", z.object({ a: z.number() }), async ({ a }) => ({
  content: [{ type: "text", text: (-a).toFixed() }],
}))

export async function ask(prompt: string): Promise<string> {
  const asked = query({ prompt, options: { canUseTool: decide, mcpServers: { own: createSdkMcpServer({ name: "own", tools: [add, subtract, negate] }) } } })
  await asked.setPermissionMode("plan")
  for await (const message of asked) {
    const known: SDKMessage = message
    if (known.type === "result" && known.subtype === "success") return known.result
    if (known.type === "result") return known.errors.join()
  }
  return typeof openSession
}
`
const bad = `
import { query } from "codewright"
query({ prompt: 1 })
query({ prompt: "x", options: { permissionMode: "never" } })
query({ prompt: "x" }).setModel(3)
`

test("a program compiles against the package as npm would lay it out", async () => {
  using place = openPlace({ "good.ts": good, "bad.ts": bad })
  const built = Bun.spawnSync([process.execPath, join(root, "scripts/types.ts")], { cwd: root, stderr: "pipe" })
  expect({ code: built.exitCode, err: built.stderr.toString() }).toEqual({ code: 0, err: "" })
  const home = join(place.work, "node_modules/codewright")
  mkdirSync(join(home, "dist"), { recursive: true })
  cpSync(join(root, "package.json"), join(home, "package.json"))
  cpSync(join(root, "dist/types"), join(home, "dist/types"), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"))
  symlinkSync(join(root, "node_modules/zod"), join(place.work, "node_modules/zod"))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const options = "--noEmit --strict --module nodenext --target esnext --skipLibCheck --types bun --typeRoots".split(
    " ",
  )
  const argv = ["node", tsc, ...options, join(root, "node_modules/@types"), "good.ts", "bad.ts"]
  const lines = Bun.spawnSync(argv, { cwd: place.work }).stdout.toString().split("\n")
  const mistakes = lines.filter((line) => line.includes("error TS"))
  expect(mistakes.map((line) => line.replace(/^(bad\.ts\(\d+).*/, "$1"))).toEqual(["bad.ts(3", "bad.ts(4", "bad.ts(5"])
})
