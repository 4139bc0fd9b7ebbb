/** A hole anywhere in a log costs what it covers: every other prompt, answer and result is still before the model. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import { loadLog, loadTail } from "#ground/transcript/load.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { foldMessages, repaired } from "../kit/fold-log.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../kit/script.ts"
import { complaints } from "../kit/valid-messages.ts"

/** Three turns with calls side by side. */
async function worked(): Promise<TestSession> {
  const t = await openTestSession({
    script: [
      calls({ text: "I look first." }, read("a.txt"), read("b.txt")),
      calls(edit("a.txt", "one", "two"), bash("echo three >> c.txt")),
      says("First done."),
      calls(write("d.txt", "four"), bash("cat c.txt")),
      says("Second done."),
      calls(read("d.txt"), read("b.txt")),
      says("Third done."),
    ],
    files: { "a.txt": "one\n", "b.txt": "b\n" },
  })
  await t.prompt("first")
  await t.prompt("second")
  await t.prompt("third")
  return t
}

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1)

/** What the messages lack of what these entries hold. A result can only be shown with its call. */
function lacking(entries: readonly Entry[], messages: readonly Message[]): string[] {
  const shown = JSON.stringify(messages)
  const used = new Set(
    entries.flatMap((entry) => (entry.kind === "reply" && entry.block.type === "tool_use" ? [entry.block.id] : [])),
  )
  const results = new Map(
    messages
      .flatMap(({ content }) => [...content])
      .flatMap((block) => (block.type === "tool_result" ? [[block.tool_use_id, block.content] as const] : [])),
  )
  return entries.flatMap((entry) => {
    if (entry.kind === "prompt" || entry.kind === "attachment" || entry.kind === "reply") {
      const text = entry.kind === "prompt" ? entry.content : entry.kind === "reply" ? [entry.block] : []
      return text.flatMap((block) => (isShown(block, shown) ? [] : [`${entry.kind} ${JSON.stringify(block)}`]))
    }
    if (entry.kind !== "result" || !used.has(entry.callId)) return []
    return JSON.stringify(results.get(entry.callId)) === JSON.stringify(entry.content) ? [] : [`result ${entry.callId}`]
  })
}

const isShown = (block: object, shown: string): boolean =>
  shown.includes("text" in block ? JSON.stringify(block.text) : JSON.stringify(block))

test("one line garbled or gone, at each place", async () => {
  await using t = await worked()
  await t.session.close()
  const lines = linesOf(t.logPath)
  const all = t.entries()
  expect(all.filter(({ kind }) => kind === "result")).toHaveLength(8)
  const wrong: string[] = []
  for (const damage of ["garbled", "missing"] as const)
    for (const index of lines.keys()) {
      const broken = lines.flatMap((line, at) =>
        at !== index ? [line] : damage === "missing" ? [] : [`${line.slice(0, 60)}#${line.slice(61)}`],
      )
      writeFileSync(t.logPath, `${broken.join("\n")}\n`)
      wrong.push(
        ...complaintsOf(
          t.logPath,
          all.filter((_, at) => at !== index - 1),
        ).map((what) => `${damage} ${index}: ${what}`),
      )
    }
  expect(wrong).toEqual([])
})

test("holes of several lines, from each place on", async () => {
  await using t = await worked()
  await t.session.close()
  const lines = linesOf(t.logPath)
  const all = t.entries()
  const wrong: string[] = []
  for (const length of [2, 5, 9])
    for (let from = 1; from + length <= lines.length; from++) {
      writeFileSync(t.logPath, `${lines.toSpliced(from, length).join("\n")}\n`)
      wrong.push(
        ...complaintsOf(t.logPath, all.toSpliced(from - 1, length)).map((what) => `${length} from ${from}: ${what}`),
      )
    }
  expect(wrong).toEqual([])
})

test("a newline that is gone takes neither of the lines beside it", async () => {
  await using t = await worked()
  await t.session.close()
  const lines = linesOf(t.logPath)
  const all = t.entries()
  for (let at = 1; at < lines.length - 1; at++) {
    const glued = lines.toSpliced(at, 2, `${lines[at]}#${lines[at + 1]}`)
    writeFileSync(t.logPath, `${glued.join("\n")}\n`)
    const loaded = loadLog(t.logPath)
    // The stray byte belongs to one of them.
    const lost = loaded.ok ? all.filter(({ uuid }) => !loaded.value.entries.some((one) => one.uuid === uuid)) : all
    expect(lost.length).toBeLessThanOrEqual(1)
  }
})

test("the session goes on with all that is left, when prompt and reminders of the first turn are lost", async () => {
  await using t = await worked()
  await t.session.close()
  const lines = linesOf(t.logPath)
  const all = t.entries()
  const first = all.findIndex(({ kind }) => kind === "reply")
  writeFileSync(t.logPath, `${lines.toSpliced(1, first).join("\n")}\n`)
  await using again = await t.reopen({ script: [says("Still here.")] })
  expect(await again.prompt("go on")).toEqual({ reason: "completed" })
  const sent = again.requests().at(-1) ?? []
  expect(lacking(all.slice(first), sent)).toEqual([])
  expect(again.simulator.stats().refusals).toBe(0)
})

function complaintsOf(logPath: string, left: readonly Entry[]): string[] {
  const loaded = loadLog(logPath)
  const tail = loadTail(logPath)
  if (!loaded.ok || !tail.ok) return ["cannot be read"]
  const missing = left.filter(({ uuid }) => !loaded.value.entries.some((one) => one.uuid === uuid))
  const path = pathOf(loaded.value.entries)
  const messages = foldMessages(repaired(path))
  return [
    ...missing.map(({ kind, uuid }) => `${kind} ${uuid} is not loaded`),
    ...(path.length === left.length ? [] : [`the path has ${path.length} of ${left.length}`]),
    ...complaints(messages),
    ...lacking(left, messages),
  ]
}
