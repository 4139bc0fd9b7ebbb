/** A review of a session that ran: read by a worker, kept and undone part by part, and comments that the model gets once. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import type { ChangedFilePage, ChangesPage } from "#faces/web/page/contract-changes.ts"
import { openUsualServer } from "../../kit/database/engines.ts"
import { environmentOf, openPlace, program } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { until } from "../../kit/until.ts"

const lines = Array.from({ length: 40 }, (_, nth) => `line ${nth + 1}`)
const textWith = (changes: { readonly [nth: number]: string }): string =>
  lines.map((line, nth) => `${changes[nth + 1] ?? line}\n`).join("")

const scenario: ScenarioFunction = ({ messages }) => {
  const said = JSON.stringify(messages)
  if (said.includes("Use a constant here")) return { content: "Noted the comments." }
  const results = said.split('"tool_result"').length - 1
  if (results === 0) return { content: [{ tool: "Read", input: { file_path: "long.txt" } }] }
  if (results === 1)
    return {
      content: [
        {
          tool: "Write",
          input: { file_path: "long.txt", content: textWith({ 3: "line three", 35: "line thirty-five" }) },
        },
        { tool: "Write", input: { file_path: "new.ts", content: "export const a = 1\n" } },
      ],
    }
  return { content: "All of it is done." }
}

test(
  "parts are undone and restored once, and comments go to the model as one prompt",
  async () => {
    using place = openPlace()
    writeFileSync(join(place.work, "long.txt"), textWith({}))
    const simulator = valueOf(await openSimulator({ scenario }))
    await using postgres = await openUsualServer()
    const database = postgres ? ["--database", postgres.url] : []
    const server = Bun.spawn([program, "serve", "--port", "0", "--json", ...database], {
      cwd: place.work,
      env: environmentOf(place, simulator.url, {}),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    })
    try {
      const { value } = await server.stdout.getReader().read()
      const { url, token } = JSON.parse(Buffer.from(value ?? []).toString()) as { url: string; token: string }
      const ask = async <T>(
        method: string,
        path: string,
        body?: object,
        key?: string,
      ): Promise<{ status: number; body: T }> => {
        const response = await fetch(`${url}/api/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            ...(key !== undefined && { "idempotency-key": key }),
          },
          ...(body && { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as T }
      }
      const made = await ask<{ id: string }>("POST", "sessions", {
        prompt: "Change it",
        workspace: { path: place.work },
        mode: "acceptEdits",
        model: "claude-sonnet-5",
      })
      const session = `sessions/${made.body.id}`
      const done = async (): Promise<void> => {
        await until(async () => (await ask<{ stage: string }>("GET", session)).body.stage === "completed")
      }
      await done()
      const unread = (await ask<ChangesPage>("GET", `${session}/changes`)).body
      expect({ isStale: unread.isStale, at: unread.at, files: unread.files }).toEqual({
        isStale: true,
        at: undefined,
        files: [],
      })
      expect((await ask("POST", `${session}/changes/refresh`, {})).body).toEqual({ files: 2, added: 3, removed: 2 })
      const read = async (): Promise<ChangesPage> => (await ask<ChangesPage>("GET", `${session}/changes`)).body
      const page = await read()
      expect(
        page.files.map(({ path, change, added, removed, parts }) => ({
          path,
          change,
          added,
          removed,
          parts: parts.map(({ state, line }) => [state, line]),
        })),
      ).toEqual([
        {
          path: "long.txt",
          change: "modified",
          added: 2,
          removed: 2,
          parts: [
            ["new", 3],
            ["new", 35],
          ],
        },
        { path: "new.ts", change: "created", added: 1, removed: 0, parts: [["new", undefined]] },
      ])
      const long = page.files[0]
      const fresh = page.files[1]
      if (!long || !fresh) throw new Error("no files")
      const shown = (await ask<ChangedFilePage>("GET", `${session}/changes/${fresh.id}`)).body
      expect(shown.hunks.map((hunk) => hunk.lines)).toEqual([["+export const a = 1"]])
      const undo = { act: "undo", parts: [long.parts[0]?.id ?? ""] }
      const undone = await ask("POST", `${session}/changes/review`, undo, "undo once")
      expect(undone).toEqual({ status: 200, body: { done: 1, left: [] } })
      expect(readFileSync(join(place.work, "long.txt"), "utf8")).toBe(textWith({ 35: "line thirty-five" }))
      expect(await ask("POST", `${session}/changes/review`, undo, "undo once")).toEqual(undone)
      expect((await ask("POST", `${session}/changes/review`, undo, "undo again")).status).toBe(409)
      const after = await read()
      expect(after.isStale).toBe(false)
      expect(after.files[0]?.parts.map(({ state }) => state).toSorted()).toEqual(["new", "undone"])
      const restored = after.files[0]?.parts.find(({ state }) => state === "undone")
      expect(
        (await ask("POST", `${session}/changes/review`, { act: "restore", parts: [restored?.id ?? ""] })).status,
      ).toBe(200)
      expect(readFileSync(join(place.work, "long.txt"), "utf8")).toBe(
        textWith({ 3: "line three", 35: "line thirty-five" }),
      )

      const comment = await ask<{ id: string }>("POST", `${session}/comments`, {
        text: "Use a constant here",
        place: { path: "new.ts", side: "new", line: 1, quote: "+export const a = 1" },
      })
      const general = await ask<{ id: string }>("POST", `${session}/comments`, { text: "Shorter, please" })
      const all = { comments: [comment.body.id, general.body.id] }
      const sent = await ask("POST", `${session}/comments/send`, all, "send once")
      expect(sent).toEqual({ status: 202, body: { sent: 2 } })
      expect(await ask("POST", `${session}/comments/send`, all, "send once")).toEqual(sent)
      expect((await ask("POST", `${session}/comments/send`, all, "send twice")).status).toBe(409)
      while (!simulator.requests.some(({ body }) => JSON.stringify(body).includes("Shorter, please")))
        await Bun.sleep(50)
      await done()
      const prompts = simulator.requests.flatMap(
        ({ body }) => JSON.stringify(body).match(/Review comments on the changes/g) ?? [],
      )
      expect(prompts.length).toBeGreaterThan(0)
      const last = JSON.stringify(simulator.requests.at(-1)?.body)
      expect(last.match(/Use a constant here/g)?.length).toBe(1)
      expect(last).toContain("1. new.ts, line 1 (")
      expect(last).toContain("> +export const a = 1")
    } finally {
      server.kill()
      await server.exited
      await simulator.close()
    }
  },
  Infinity,
)
