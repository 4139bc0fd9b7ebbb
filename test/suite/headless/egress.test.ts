/** What the program contacts by itself: the model and nothing else, seen from outside. The guide shows this table. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { ScenarioReply } from "#sim/scenario.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, edit, read, says } from "../../kit/script.ts"

const guide = resolve(import.meta.dir, "../../../docs/guides/network.md")
const isMissing = Bun.which("strace") === null

/** Every address that the process and all it starts tried to send something to, with the model's by that name. */
async function contacted(place: Place, argv: readonly string[], scenario: readonly ScenarioReply[]): Promise<string> {
  const trace = join(place.path, "trace")
  const model = join(place.path, "model")
  const run = await runCodewright({
    place,
    argv,
    scenario,
    // As a user has it: titles and other small requests are made too.
    env: { DISABLE_NON_ESSENTIAL_MODEL_CALLS: undefined },
    refusals: "expected",
    wrap: `printf %s "$ANTHROPIC_BASE_URL" > ${model}; exec strace -f -qq -e trace=connect,sendto,sendmsg,sendmmsg -o ${trace} "$@"`,
  })
  expect({ argv, code: run.code }).toEqual({ argv, code: 0 })
  const { port: modelPort } = new URL(readFileSync(model, "utf8"))
  const addresses = [...readFileSync(trace, "utf8").matchAll(/sin6?_port=htons\((\d+)\).*?"([0-9a-f.:]+)"/g)].map(
    ([, port, host]) => (port === modelPort ? "the model" : `${host}:${port}`),
  )
  return [...new Set(addresses)].toSorted().join(", ") || "nothing"
}

const work: readonly ScenarioReply[] = [
  calls(read("a.txt")),
  calls(edit("a.txt", "one", "two"), bash("git status; ls -la; wc -l a.txt")),
  says("Done."),
  says("A title"),
  says("More."),
]

test.skipIf(isMissing)("nothing is contacted but the model, and the guide says so (needs strace)", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const runs: readonly (readonly [readonly string[], readonly ScenarioReply[]])[] = [
    [["--version"], []],
    [["--help"], []],
    [["-p", "change it", "--permission-mode", "acceptEdits"], work],
    [
      ["-p", "and then", "--continue"],
      [says("More."), says("A title")],
    ],
    [["sessions", "list"], []],
    [["config", "list"], []],
    [["models"], []],
  ]
  const rows: string[] = []
  for (const [argv, scenario] of runs) {
    const words = argv.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ")
    rows.push(`${`codewright ${words}`.padEnd(62)} ${await contacted(place, argv, scenario)}`)
  }
  const shown = /```text[^\n]*\n(codewright --version[^`]*)```/.exec(readFileSync(guide, "utf8"))?.[1]
  expect(`${rows.join("\n")}\n`).toBe(shown ?? "")
})

test.skipIf(isMissing)("whatever else is contacted would be seen (needs strace)", async () => {
  using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({}) })
  using place = openPlace()
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "http", url: `http://127.0.0.1:${other.port}/` }] }] }
  place.write(join(place.state, "settings.json"), JSON.stringify({ hooks }))
  expect(await contacted(place, ["-p", "hello"], [says("Hello."), says("A title")])).toBe(
    `127.0.0.1:${other.port}, the model`,
  )
})
