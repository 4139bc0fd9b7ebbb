/** Patches, traces and trajectories were made of the whole log at once: of 300 MB, two gigabytes. */

import { expect, test } from "bun:test"
import { renameSync } from "node:fs"
import { join } from "node:path"
import type { EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import { dataOf } from "#faces/cli/sessions/sessions-export.ts"
import { openStored } from "#faces/cli/sessions/read-session.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { entriesOf, writeLog } from "../kit/write-log.ts"

const sessionId = "00000000-0000-4000-8000-000000000001"
const turns = 300

function turnOf(n: number): EntryBody[] {
  const reply = { messageId: `m${n}`, model: "claude-sonnet-5", usage: noUsage }
  const path = `/w/file-${n}.txt`
  const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: [`+${"x".repeat(4_000)}`] }
  return [
    { kind: "turn_start", turnId: `t${n}` },
    { kind: "prompt", promptId: `p${n}`, content: [{ type: "text", text: `do ${n}` }] },
    { kind: "reply", ...reply, block: { type: "tool_use", id: `c${n}`, name: "Write", input: { file_path: path } } },
    {
      kind: "result",
      callId: `c${n}`,
      tool: "Write",
      content: "y".repeat(10_000),
      isError: false,
      display: { kind: "diff", path, hunks: [hunk], created: true },
      durationMs: 1,
    },
    { kind: "reply_end", ...reply, stopReason: "end_turn", durationMs: 1 },
    { kind: "turn_end", turnId: `t${n}`, reason: "completed" },
  ]
}

test.each(["patch", "otlp", "atif"] as const)(
  "%s: a piece at a time, and the log is read as it is written",
  async (format) => {
    using folder = temporaryFolder()
    const path = folder.join("state/projects/-w", `${sessionId}.jsonl`)
    writeLog(path, entriesOf(Array.from({ length: turns }, (_, n) => turnOf(n)).flat()), { sessionId })
    const state = folder.join("state")
    const [projects, catalog] = [join(state, "projects"), join(state, "cache/sessions.sqlite")]
    const stored = await openStored(sessionId, { home: folder.path, state, cwd: "/w", projects, catalog })
    if (!stored.ok) throw new Error(stored.failure)

    const made = [...(await dataOf(stored.value, format, { state, warn: () => {} })).pieces]
    expect(made.length).toBeGreaterThanOrEqual(turns)
    expect(Math.max(...made.map(({ length }) => length))).toBeLessThan(20_000)
    if (format !== "patch") expect(JSON.parse(made.join(""))).toBeObject()

    // Without its log, it cannot be finished.
    const begun = (await dataOf(stored.value, format, { state, warn: () => {} })).pieces[Symbol.iterator]()
    for (let n = 0; n < 10; n++) begun.next()
    renameSync(path, `${path}.gone`)
    const rest = (): void => {
      for (;;) if (begun.next().done === true) return
    }
    expect(rest).toThrow("ENOENT")
  },
)
