/** What the program tells the model by the way is in the requests, and nowhere a person looks. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import type { Happening } from "#agent/words/event.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bodyOf } from "../../kit/sent.ts"
import { bash, calls, says } from "../../kit/script.ts"

const steps = 34

test("the reminder of the list comes after ten answers and then not before ten more; no face shows it", async () => {
  using place = openPlace({ "AGENTS.md": "The hidden rule of the house.\n" })
  const run = await runCodewright({
    place,
    argv: "-p work --output-format stream-json --verbose --allowed-tools Bash".split(" "),
    scenario: [...Array.from({ length: steps }, (_, i) => calls(bash(`echo step ${i}`))), says("Done.")],
  })
  expect(run.code).toBe(0)
  const words = "TodoWrite has not been used for a while"
  const times = run.requests.map((request) => JSON.stringify(bodyOf(request).messages).split(words).length - 1)
  // How often it is in each request: it appears with the eleventh, and again ten answers later.
  expect(times).toEqual(Array.from({ length: steps + 1 }, (_, i) => Math.floor(i / 10)))

  const id = String(linesOf(run.stdout).at(-1)?.session_id)
  const shown = await Promise.all(
    [["show"], ["export", "--format", "md"], ["export", "--format", "html"]].map(async ([verb = "", ...more]) => {
      const said = await runCodewright({ place, argv: ["sessions", verb, id, ...more] })
      expect(said).toMatchObject({ code: 0, stderr: "" })
      expect(said.stdout).toContain("step 33")
      return said.stdout
    }),
  )
  const loaded = loadLog(join(place.state, "projects", ...logIn(place.state)))
  if (!loaded.ok) throw new Error(loaded.failure.kind)
  const view = loaded.value.entries.map((entry): Happening => ({ type: "entry", entry })).reduce(reduce, emptyView)
  const faces = [run.stdout, ...shown, JSON.stringify(view)]
  for (const hidden of [words, "system-reminder", "The hidden rule of the house"])
    expect(faces.map((text) => text.includes(hidden))).toEqual(faces.map(() => false))
})

const logIn = (state: string): readonly string[] =>
  [...new Bun.Glob("*/*.jsonl").scanSync(join(state, "projects"))][0]?.split("/") ?? []
