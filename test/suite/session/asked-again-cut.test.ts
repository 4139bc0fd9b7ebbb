/** A program that dies at any moment around a question: no call runs twice, and none without an answer to its question. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { Question } from "#agent/words/question.ts"
import { openTestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, write } from "../../kit/script.ts"
import { openTurns } from "../../kit/turns.ts"
import { on } from "../hooks/hooks.ts"
import { cast, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const callsOfOwn = [read("a.txt"), bash("echo x >> count.txt"), write("b.txt", "new\n")]
const own = [calls(...callsOfOwn), says("Done."), says("Done.")]

const kinds: { readonly [kind: string]: Pick<TestSessionOptions, "script" | "hooks"> } = {
  "of its own": { script: own },
  "of its own, with a hook": { script: own, hooks: { PreToolUse: [on("true", {}, "Bash|Write")] } },
  "of an answer that broke off": {
    script: [
      { ...calls(...callsOfOwn, { text: "and so on ".repeat(60) }), fault: "truncated_event" },
      says("Done."),
      says("Done."),
    ],
  },
  "of an answer that still streamed": {
    script: [
      {
        ...calls(...callsOfOwn, { text: "and so on ".repeat(200) }),
        timing: { pauses: [{ afterTokens: 250, ms: 1_000 }] },
      },
      says("Done."),
      says("Done."),
    ],
  },
  "of an agent": { script: cast({ main: [calls(task("alpha")), says("Done."), says("Done.")], alpha: own }) },
}

const turn = openTurns()

/** In the middle of a line, one byte short of its end, and after it: by day at one of these for each line. */
function cutsIn(log: Buffer): readonly number[] {
  const ends = [...log.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []))
  const cuts = ends.flatMap((end, i) => turn([end, end - 1, Math.floor((end + (ends[i + 1] ?? end)) / 2)]))
  // What comes before the first request is the same in every log.
  return [...new Set(cuts)].filter((at) => at > log.indexOf('"tool_use"'))
}

const isWhole = (line: string): boolean => {
  try {
    return typeof JSON.parse(line) === "object"
  } catch {
    return false
  }
}

function isAnsweredIn(lines: readonly string[], what: string): boolean {
  const bodies = lines.map(
    (line) => (JSON.parse(line) as { codewright?: { question?: Question; questionId?: string } }).codewright,
  )
  const asked = bodies.find(
    ({ question } = {}) => question?.ask.kind === "permission" && question.ask.title.includes(what),
  )
  return bodies.some(({ questionId } = {}) => questionId !== undefined && questionId === asked?.question?.id)
}

for (const [kind, story] of Object.entries(kinds))
  test(`a question ${kind}, cut everywhere`, async () => {
    await using t = await openTestSession({
      ...story,
      files: { "a.txt": "old\n" },
      mode: "default",
      allow: [],
      answers: () => ({ kind: "allow" }),
    })
    await t.prompt("go")
    await t.session.close()
    const log = readFileSync(t.logPath)
    const ofAgent = kind === "of an agent"
    let askedAgain = 0
    for (const at of cutsIn(log)) {
      const lines = log.subarray(0, at).toString().split("\n").filter(isWhole)
      // An agent's own log says what it began, and lies beside this one whole.
      const hasBegun = (what: string): boolean =>
        lines.some((line) => line.includes('"subtype":"intent"') && line.includes(what))
      const isBegun = ofAgent || hasBegun("echo x")
      for (const name of ["count.txt", "b.txt"]) rmSync(t.path(name), { force: true })
      if (isBegun) writeFileSync(t.path("count.txt"), "x\n")
      writeFileSync(t.logPath, log.subarray(0, at))
      const asked: string[] = []
      await using again = await t.reopen({
        answers({ ask }) {
          asked.push(ask.kind === "permission" ? ask.title : ask.kind)
          return { kind: "allow" }
        },
      })
      await again.settled()
      // An answer that is in the log counts: it is not asked for a second time.
      const isAsked = (what: string): boolean =>
        asked.some((title) => title.includes(what)) || (!ofAgent && isAnsweredIn(lines, what))
      const count = existsSync(t.path("count.txt")) ? t.read("count.txt") : ""
      expect([at, count]).toEqual([at, isBegun || isAsked("echo x") ? "x\n" : ""])
      expect([at, existsSync(t.path("b.txt"))]).toEqual([at, isAsked("b.txt") && !hasBegun("b.txt")])
      askedAgain += asked.length
      const open = new Set<string>()
      for (const entry of again.entries()) {
        if (entry.kind === "reply" && entry.block.type === "tool_use") open.add(entry.block.id)
        if (entry.kind === "result") expect([at, open.delete(entry.callId)]).toEqual([at, true])
      }
      expect([at, [...open]]).toEqual([at, []])
      await again.session.close()
    }
    // A question of an agent is over with its agent; the others must have been asked again somewhere.
    expect(askedAgain > 0).toBe(!ofAgent)
  })
