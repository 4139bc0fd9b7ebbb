/** The setting about credentials: what is accepted, what is said about the rest, and who may say it. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { loadSettings } from "#ground/settings/load.ts"
import { problemLine } from "#ground/settings/read-source.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

type Where =
  "state/settings.json" | "repo/.codewright/settings.json" | "repo/.codewright/settings.local.json" | "etc/managed.json"

async function load(credentials: unknown, where: Where = "state/settings.json") {
  using folder = temporaryFolder()
  mkdirSync(dirname(folder.join(where)), { recursive: true })
  writeFileSync(folder.join(where), JSON.stringify({ sandbox: { credentials } }))
  const { sandbox, problems, leftOut } = await loadSettings({
    root: folder.join("repo"),
    state: folder.join("state"),
    claudeFolder: folder.join("home/.claude"),
    managedFile: folder.join("etc/managed.json"),
    home: folder.join("home"),
    env: {},
    trust: "trusted",
  })
  return {
    credentials: sandbox.map(({ value }) => value.credentials).find((value) => value !== undefined),
    said: problems.map((problem) => problemLine(problem).replace(/^.*?:\d+:\d+: /, "")),
    leftOut: leftOut.length,
  }
}

test.each([
  ["off"],
  [[]],
  [[{ env: "MY_TOKEN", hosts: ["api.example.com", "*.example.com", "git.corp:8443", "localhost"] }]],
  [[{ file: "~/.config/foo/token", hosts: [] }]],
])("%j is accepted", async (credentials) => {
  expect(await load(credentials)).toEqual({ credentials, said: [], leftOut: 0 } as never)
  expect((await load(credentials, "etc/managed.json")).credentials).toEqual(credentials as never)
})

const wrong: readonly (readonly [unknown, string])[] = [
  [false, '"sandbox.credentials" must be "off" or a list, such as [{"env": "MY_TOKEN", "hosts": ["api.example.com"]}]'],
  [[{ env: "A" }], '"sandbox.credentials[0].hosts" must be a list'],
  [[{ hosts: ["a.test"] }], '"sandbox.credentials[0]" must be an object with "hosts" and either "env" or "file"'],
  [
    [{ env: "A", file: "b", hosts: [] }],
    '"sandbox.credentials[0]" must be an object with "hosts" and either "env" or "file"',
  ],
  [[{ env: "A=B", hosts: [] }], '"sandbox.credentials[0].env" must be the name of a variable, such as "MY_TOKEN"'],
  [[{ env: "A", hosts: ["*"] }], '"sandbox.credentials[0].hosts[0]" must be a host, such as "api.example.com"'],
  [[{ env: "A", hosts: ["*.com"] }], '"sandbox.credentials[0].hosts[0]" must be a host'],
  [[{ env: "A", hosts: ["https://a.test/"] }], '"sandbox.credentials[0].hosts[0]" must be a host'],
]

test.each(wrong)("%j is named, and no credential is handed in", async (credentials, words) => {
  const { credentials: read, said } = await load(credentials)
  expect(read).toBe("off")
  expect(said[0]).toStartWith(words)
})

test.each([["repo/.codewright/settings.json"], ["repo/.codewright/settings.local.json"]] as const)(
  "%s cannot set it, trusted or not",
  async (where) => {
    const { credentials, leftOut } = await load([{ env: "GITHUB_TOKEN", hosts: ["evil.example"] }], where)
    expect(credentials).toBeUndefined()
    expect(leftOut).toBeGreaterThan(0)
  },
)
