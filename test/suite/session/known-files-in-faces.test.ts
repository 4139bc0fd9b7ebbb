/**
 * No change passes of a file that the conversation has not read, whoever talks to it: scripts, SDK clients, plain lines, the screen and
 * `codewright rewind`, one after another about the same session, with clears, rewinds and copies between them.
 */

import { Glob } from "bun"
import { expect, test } from "bun:test"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import type { RecordedRequest } from "#sim/ledger.ts"
import { type Edits, editsIn, knownFiles, obeys } from "../../kit/known-files.ts"
import { openScreenRun } from "../../kit/open-screen.ts"
import { controlD, enter, openTerminal } from "../../kit/open-terminal.ts"
import { linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { runs } from "../../kit/runs.ts"

const hello = "hello"

/** One program that is started, told these things, and ended. */
type Stay =
  | { readonly face: "print" | "sdk" | "lines" | "screen"; readonly says: readonly string[]; readonly copy: boolean }
  | { readonly face: "rewind"; readonly how: readonly string[] }

const words = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("read a.txt", "edit a.txt", "edit a.txt", "edit b.txt", "look at @b.txt"),
  },
  { weight: 2, arbitrary: fc.constantFrom("/clear", "/clear", "/redo") },
)
const stay: fc.Arbitrary<Stay> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      face: fc.constantFrom("print", "sdk", "lines", "screen"),
      says: fc.array(words, { minLength: 1, maxLength: 4 }),
      copy: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      face: fc.constant("rewind" as const),
      how: fc.constantFrom(["--to", "1"], ["--to", "2", "--conversation"], ["--redo"]),
    }),
  },
)

/** Each face, with something to refuse and something to allow. */
const example: readonly Stay[] = [
  { face: "print", says: ["read a.txt"], copy: false },
  { face: "screen", says: ["edit a.txt", "/clear", "edit a.txt"], copy: false },
  { face: "rewind", how: ["--redo"] },
  { face: "lines", says: ["edit a.txt", "/clear", "edit a.txt"], copy: true },
  { face: "sdk", says: ["look at @b.txt", "edit b.txt", "/clear", "edit b.txt"], copy: false },
]

test("whatever is said in which face", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stay, { minLength: 2, maxLength: 4 }), async (stays) => {
      const { unread } = await converse(stays)
      expect(unread).toEqual([])
    }),
    { ...runs(2), endOnFailure: true },
  )
}, 240_000)

test("in each face a clear forgets and a redo remembers", async () => {
  expect(await converse(example)).toEqual({ passed: 3, refused: 3, unread: [] })
}, 120_000)

async function converse(stays: readonly Stay[]): Promise<Edits> {
  using place = openPlace(knownFiles)
  const first = await runCodewright({ place, argv: ["-p", hello, "--output-format", "json"], scenario: obeys })
  let id = String(linesOf(first.stdout).at(-1)?.session_id)
  const requests: RecordedRequest[] = []
  for (const one of stays) {
    if (one.face === "rewind") {
      // There may be nothing to go back to.
      await runCodewright({ place, argv: ["rewind", id, ...one.how] })
      continue
    }
    const next = one.copy ? crypto.randomUUID() : id
    const resume = ["--resume", id, ...(one.copy ? ["--fork-session", "--session-id", next] : [])]
    requests.push(...(await faces[one.face](place, [...resume, "--permission-mode", "acceptEdits"], one.says)))
    id = next
  }
  return editsIn(requests)
}

type Face = (place: Place, argv: readonly string[], says: readonly string[]) => Promise<readonly RecordedRequest[]>

const faces: { readonly [name in Exclude<Stay["face"], "rewind">]: Face } = {
  /** Each prompt is a program of its own; the first is for a copy. */
  async print(place, argv, says) {
    const sent: RecordedRequest[] = []
    const id = argv[argv.indexOf("--session-id") + 1] ?? ""
    for (const [nth, text] of says.entries()) {
      const again = nth > 0 && argv.includes("--session-id") ? ["--resume", id, ...argv.slice(-2)] : argv
      const { requests } = await runCodewright({ place, argv: ["-p", text, ...again], scenario: obeys })
      sent.push(...requests)
    }
    return sent
  },
  async sdk(place, argv, says) {
    const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
    const message = (content: string) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`
    // One after another: what comes while a turn runs would become part of it.
    const wrap = `coproc program { "$@"; }; while IFS= read -r said; do
      printf '%s\\n' "$said" >&"\${program[1]}"
      while IFS= read -r line <&"\${program[0]}"; do case $line in *'"type":"result"'*) break;; esac; done
    done; eval "exec \${program[1]}>&-"; wait`
    const stdin = says.map(message).join("")
    return (await runCodewright({ place, argv: ["-p", ...stream, ...argv], stdin, wrap, scenario: obeys })).requests
  },
  async lines(place, argv, says) {
    await using terminal = await openTerminal({ place, argv, scenario: obeys, env: { CODEWRIGHT_TRUST: "1" } })
    await terminal.shows("\n> ")
    for (const text of says) {
      terminal.type(text + enter)
      await terminal.shows(text)
      await terminal.shows("\n> ")
    }
    terminal.type(controlD)
    await terminal.exited
    return [...terminal.requests]
  },
  async screen(place, argv, says) {
    await using run = await openScreenRun({ place, argv, scenario: obeys })
    await run.shows("> Ask anything")
    for (const text of says) {
      // The end of a turn is recorded before the screen is at rest.
      await Bun.sleep(300)
      const before = endsIn(place)
      // The space ends the completion of a name.
      run.type(`${text} ${enter}`)
      // Nothing is recorded where nothing can be redone.
      if (text === "/redo") await Bun.sleep(300)
      else while (endsIn(place) === before) await Bun.sleep(20)
    }
    run.type(controlD)
    await run.exited
    return [...run.requests]
  },
}

/** How often a turn has ended or the conversation has become another, in all logs. */
function endsIn({ state }: Place): number {
  const logs = [...new Glob("projects/*/*.jsonl").scanSync({ cwd: state, absolute: true })]
  return logs.reduce(
    (sum, log) => sum + (readFileSync(log, "utf8").match(/"subtype":"(turn_end|head)"/g)?.length ?? 0),
    0,
  )
}
