/** Results that make room in the conversation stay in the log, and get a file only when somebody asks for it. */

import { expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { dirname } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says, use } from "../kit/script.ts"

const left = /was left out to make room: about \d+ tokens\. All of it is in (\S+\.txt)\./

test.each([
  ["Read", (path: string) => use("Read", { file_path: path })],
  ["a command", (path: string) => bash(`cat ${path} | head -5`)],
])("%s finds it under the name that the model was told", async (_, ask) => {
  let later = 0
  let step = 0
  const names = Array.from({ length: 12 }, (__, n) => `file-${n}.txt`)
  const content = (name: string): string => `${name} has ${"many words ".repeat(4_000)}\n`
  await using t = await openTestSession({
    files: Object.fromEntries(names.map((name) => [name, content(name)])),
    clock: { ...systemClock, now: () => systemClock.now() + later },
    mode: "acceptEdits",
    script: (request) => {
      const name = names[step++]
      if (name !== undefined) return calls(bash(`cat ${name}`))
      const path = left.exec(JSON.stringify(request.messages))?.[1]
      return path === undefined || step++ > names.length + 1 ? says("Seen.") : calls(ask(path))
    },
  })
  await t.prompt("read them")
  // The provider's cache is cold by then, so making room costs nothing.
  later = 3 * 60 * 60 * 1000
  await t.prompt("and the first?")
  const stubs = t.entries().flatMap((entry) => (entry.kind === "stub" ? entry.stubs : []))
  const paths = stubs.map(({ text }) => left.exec(text)?.[1] ?? "")
  expect(paths.length).toBeGreaterThan(2)
  const folder = dirname(paths[0] ?? "")
  expect(folder).toEndWith("/results")
  expect(readdirSync(folder)).toEqual([(paths[0] ?? "").slice(folder.length + 1)])
  expect(paths.slice(1).some(existsSync)).toBe(false)
  expect(String(t.results().at(-1)?.content)).toContain("file-0.txt has many words")
})
