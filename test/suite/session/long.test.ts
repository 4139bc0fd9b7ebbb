/** A long session in which one request in five fails: the work comes out right all the same. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Ids, seededIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { hastyClock } from "../../kit/hasty-clock.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { chance } from "../../kit/random-script.ts"
import { atNight } from "../../kit/runs.ts"
import { type Act, type Job, nextReply } from "../../kit/steady-worker.ts"
import { answerComplaints } from "../../kit/test-loop.ts"

const steps = atNight(300, 120)

const act = (tool: string, input: JsonObject, ifUnsure?: JsonObject): Act => ({
  tool,
  input,
  ...(ifUnsure && { ifUnsure }),
})
const runs = (command: string): Act => act("Bash", { command })

/** Each job, and what it does to the tree, said a second time and independently. */
function jobOf(i: number, tree: Map<string, string>): Job {
  const name = `f${i}.txt`
  switch (i % 6) {
    case 0: {
      const content = `file ${i}\nline two\nvalue = old\n`
      tree.set(name, content)
      return [act("Write", { file_path: name, content })]
    }
    case 1: {
      const file = `f${i - 1}.txt`
      tree.set(file, (tree.get(file) ?? "").replace("value = old", `value = ${i}`))
      return [
        act("Read", { file_path: file }),
        act("Edit", { file_path: file, old_string: "value = old", new_string: `value = ${i}` }),
      ]
    }
    case 2: {
      // An act that must not be made twice.
      const line = `entry ${i}`
      tree.set("journal.txt", `${tree.get("journal.txt") ?? ""}${line}\n`)
      const command = `echo '${line}' >> journal.txt`
      return [act("Bash", { command }, { command: `grep -qx '${line}' journal.txt || ${command}` })]
    }
    case 3: {
      tree.set(`d${i}/copy.txt`, tree.get(`f${i - 3}.txt`) ?? "")
      return [runs(`mkdir -p d${i} && cp f${i - 3}.txt d${i}/copy.txt`)]
    }
    case 4: {
      const content = "x".repeat(i)
      tree.set(`g${i}.txt`, content)
      tree.delete(`g${i - 12}.txt`)
      return [act("Write", { file_path: `g${i}.txt`, content }), runs(`rm -f g${i - 12}.txt`)]
    }
    default: {
      const file = `f${i - 5}.txt`
      return [act("Glob", { pattern: `f${i - 5}*` }), act("Read", { file_path: file })]
    }
  }
}

/** Some answers go on for a while after their calls, so that a cut can come when those are under way or made. */
function withAfterthought({ content = [], ...reply }: ScenarioReply, ids: Ids): ScenarioReply {
  if (typeof content === "string" || !chance(ids, 0.4)) return { content, ...reply }
  return { content: [...content, { text: "and so on ".repeat(60) }], timing: { tokensPerSecond: 500 }, ...reply }
}

test(`${steps} steps with faults in a fifth of the requests leave the right tree`, async () => {
  const tree = new Map<string, string>()
  const jobs = Array.from({ length: steps }, (_, i) => jobOf(i, tree))
  const ids = seededIds(3)
  await using t = await openTestSession({
    script: (request) => withAfterthought(nextReply(jobs, request), ids),
    simulator: { faultRate: 0.2, seed: 20, clock: hastyClock(20), keepRequests: "none" },
  })
  expect(await t.prompt("do all jobs")).toEqual({ reason: "completed" })
  expect(treeOf(t.root)).toEqual(Object.fromEntries([...tree].toSorted()))

  const stats = t.simulator.stats()
  expect(stats.refusals).toBe(0)
  expect(stats.cacheBreaks).toEqual([])
  expect(stats.requests).toBeGreaterThan(steps)
  expect(stats.faults).toBeGreaterThan(steps / 8)
  const entries = t.entries()
  expect(answerComplaints(entries)).toEqual([])
  // The faults must have struck in the middle of answers too, and after calls had been made.
  expect(entries.filter(({ kind }) => kind === "orphan").length).toBeGreaterThan(5)
  expect(entries.some((entry) => entry.kind === "reply_end" && entry.cut === "broken")).toBe(true)
})

function treeOf(root: string): { readonly [path: string]: string } {
  const files = (readdirSync(root, { recursive: true }) as string[])
    .filter((path) => statSync(join(root, path)).isFile())
    .toSorted()
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), "utf8")]))
}
