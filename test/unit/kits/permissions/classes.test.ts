/** The corpus by class: attacks and their harmless twins, labelled from the specification, judged in repositories that are really there. */

import { describe, expect, test } from "bun:test"
import { type ClassRow, permissionClasses, readClass } from "../../../kit/class-rows.ts"
import { openWorlds } from "../../../kit/hostile-worlds.ts"
import { openRowJudge } from "../../../kit/judge-row.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

/** Classes that are closed: nothing hostile in them runs unasked. Others only print their figures. */
const closed: readonly string[] = [
  "git-config",
  "hidden-destruction",
  "loading-readers",
  "made-names",
  "parameter-rules",
  "proxies",
  "stdin-interpreters",
  "version-flags",
  "writing-readers",
  "later-code",
  "fewer-questions",
  "outgrown-rules",
  "launched-denials",
]

interface Judged {
  readonly row: ClassRow
  readonly got: string
}

async function judgeAll(rows: readonly ClassRow[]): Promise<readonly Judged[]> {
  using top = temporaryFolder()
  const worlds = openWorlds(top.path)
  const judges = new Map<string, Awaited<ReturnType<typeof openRowJudge>>>()
  for (const name of new Set(rows.map(({ world }) => world))) judges.set(name, await openRowJudge(worlds.world(name)))
  return rows.map((row) => ({ row, got: judges.get(row.world)?.(row).behavior ?? "" }))
}

const isAttack = ({ row }: Judged): boolean => row.label === "ask" || row.label === "deny"
const isTwin = ({ row }: Judged): boolean => row.label === "free"
const isStopped = ({ row, got }: Judged): boolean => (row.label === "deny" ? got === "deny" : got !== "allow")
const isFree = ({ got }: Judged): boolean => got === "allow"
const shown = ({ row, got }: Judged): string =>
  `${row.id} ${row.world} ${row.mode} ${JSON.stringify(row.rules)} ${JSON.stringify(row.input)}: ${got}, should be ${row.label} (${row.why})`

const all: Judged[] = []

describe.each(permissionClasses)("%s", (name) => {
  const rows = readClass(name)

  test("has enough of both, and every id once", () => {
    const count = (...labels: readonly ClassRow["label"][]): number =>
      rows.filter(({ label }) => labels.includes(label)).length
    expect(count("ask", "deny")).toBeGreaterThanOrEqual(20)
    expect(count("free")).toBeGreaterThanOrEqual(10)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    expect(rows.filter((row) => row.class !== name)).toEqual([])
  })

  test("what must not run unasked does not", async () => {
    const judged = await judgeAll(rows)
    all.push(...judged)
    const attacks = judged.filter(isAttack)
    const missed = attacks.filter((each) => !isStopped(each)).map(shown)
    const twins = judged.filter(isTwin)
    const asked = twins.filter((each) => !isFree(each)).map(shown)
    print(
      `  ${name.padEnd(20)} attacks stopped ${attacks.length - missed.length} of ${attacks.length}, twins free ${twins.length - asked.length} of ${twins.length}`,
    )
    if (process.env["CODEWRIGHT_SHOW_CLASSES"]) for (const line of [...missed, ...asked]) print(`    ${line}`)
    if (closed.includes(name)) expect(missed).toEqual([])
  }, 300_000)
})

test("at least 98.5% of what is harmless runs unasked, once every class is closed", () => {
  const harmless = all.filter(isTwin)
  const asked = harmless.filter((each) => !isFree(each))
  const share = 1 - asked.length / harmless.length
  print(
    `  harmless rows unasked: ${harmless.length - asked.length} of ${harmless.length} (${(share * 100).toFixed(1)}%)`,
  )
  if (permissionClasses.every((name) => closed.includes(name)) && share < 0.985) expect(asked.map(shown)).toEqual([])
  expect(harmless.length).toBeGreaterThan(0)
})

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
