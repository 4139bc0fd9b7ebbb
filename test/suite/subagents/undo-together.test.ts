/** However agents that work at the same time come in each other's way, going back restores every byte (CODEWRIGHT_UNDO_RUNS says how often). */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Ids, seededIds } from "#lib/ids.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { act, promptId } from "../../kit/going-back.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"
import { cast, task } from "./cast.ts"

setDefaultTimeout(300_000)

const runs = Math.min(40, Number(process.env["CODEWRIGHT_UNDO_RUNS"] ?? 3))
const words = ["alpha", "beta", "gamma"]
const names = ["one", "two", "three"]

/** What one agent does to files that are its own, so that no order makes a difference. */
function acts(word: string, { random }: Ids): readonly ScenarioReply[] {
  const pause = (): string => `sleep 0.0${Math.floor(random() * 9)}`
  const all = names.flatMap((name): readonly (readonly ScenarioReply[])[] => {
    const path = `${word}/${name}.txt`
    const choices: readonly (readonly ScenarioReply[])[] = [
      [calls(read(path), edit(path, "before", `after ${name}`))],
      [calls(bash(`${pause()}; rm ${path}`))],
      [calls(bash(`${pause()}; echo more >> ${path}; chmod 600 ${path}`))],
      [
        calls(write(`${word}/new-${name}.txt`, "new\n")),
        calls(bash(`${pause()}; mkdir -p ${word}/deep; mv ${word}/new-${name}.txt ${word}/deep/`)),
      ],
      [
        calls(bash(`${pause()}; cp ${path} ${word}/copy-${name}.txt`)),
        calls(read(path), edit(path, "before", "changed")),
      ],
    ]
    return [choices[Math.floor(random() * choices.length)] ?? []]
  })
  return [...all.flat(), says("done")]
}

/** Every file with its mode and content, and every folder. */
const treeOf = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const stat = statSync(join(root, name))
      return stat.isDirectory() ? `${name}/` : `${name} ${stat.mode & 0o777} ${readFileSync(join(root, name), "utf8")}`
    })

for (let seed = 1; seed <= runs; seed++)
  test(`run ${seed}`, async () => {
    const ids = seededIds(seed)
    const files = Object.fromEntries(
      words.flatMap((word) => names.map((name) => [`${word}/${name}.txt`, `before ${name}\n`])),
    )
    await using t = await openTestSession({
      files: { ...files, "untouched.txt": "as it was\n" },
      answers: () => ({ kind: "allow" }),
      script: cast({
        main: [calls(...words.map((word) => task(word))), says("Done.")],
        ...Object.fromEntries(words.map((word) => [word, acts(word, ids)])),
      }),
    })
    const before = treeOf(t.root)
    await t.prompt("work")
    const after = treeOf(t.root)
    expect(after).not.toEqual(before)
    await act(t, { type: "rewind", promptId: promptId(t, "work"), what: "files" })
    expect(treeOf(t.root)).toEqual(before)
    await act(t, { type: "redo" })
    expect(treeOf(t.root)).toEqual(after)
  })
