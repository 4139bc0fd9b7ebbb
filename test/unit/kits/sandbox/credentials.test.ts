/** Which credentials a policy hands in as sentinels: known ones, those that settings name, and none that a rule denies. */

import { expect, test } from "bun:test"
import type { CredentialLine } from "#ground/sandbox/policy.ts"
import { saidCredentials } from "#kits/sandbox/credentials.ts"
import { policiesIn, type PolicyStory } from "../../../kit/policy-story.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

/** `NAME` or `@/path` with the hosts; `-` where the file says them. */
const shown = ({ from, hosts }: CredentialLine): string =>
  `${from.kind === "variable" ? from.name : `${from.path} (${from.format})`} ${hosts?.join(",") ?? "-"}`

async function linesIn(story: PolicyStory): Promise<readonly string[]> {
  using folder = temporaryFolder()
  const { workspace } = await policiesIn(folder, story)
  return (workspace.credentials ?? []).map(shown)
}

const files = { "home/.npmrc": "//npm.corp/:_authToken=abc", "home/.netrc": "", "home/.config/gh/hosts.yml": "" }
const ofFiles = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.startsWith("@"))

test("known variables have their hosts, and known files that are there are copied", async () => {
  const lines = await linesIn({ files })
  expect(lines).toContain("GITLAB_TOKEN gitlab.com")
  expect(lines).toContain("CARGO_REGISTRY_TOKEN crates.io")
  expect(lines).toContain("NPM_TOKEN registry.npmjs.org")
  expect(lines.find((line) => line.startsWith("GH_TOKEN"))).toContain("api.github.com")
  expect(ofFiles(lines)).toEqual([
    "@/home/.npmrc (npmrc) -",
    "@/home/.netrc (netrc) -",
    "@/home/.config/gh/hosts.yml (gh) -",
  ])
})

test("a variable that the user's .npmrc reads belongs to the registries of those lines", async () => {
  const npmrc = "//npm.corp:8443/:_authToken=${NPM_TOKEN}\n//other.corp/x/:_authToken = ${NPM_TOKEN}\n"
  expect(await linesIn({ files: { "home/.npmrc": npmrc } })).toContain("NPM_TOKEN npm.corp:8443,other.corp")
  // A project's file could name any host.
  expect(await linesIn({ files: { "work/.npmrc": npmrc } })).toContain("NPM_TOKEN registry.npmjs.org")
})

test("a setting adds, changes and takes away; off leaves nothing of the known ones", async () => {
  const settings = {
    credentials: [
      { env: "MY_TOKEN", hosts: ["api.example.com"] },
      { env: "GITLAB_TOKEN", hosts: ["gitlab.corp"] },
      { env: "GITHUB_TOKEN", hosts: [] },
      { file: "~/.config/foo/token", hosts: ["foo.example.com"] },
      { file: "~/.netrc", hosts: ["git.corp:8443"] },
    ],
  }
  const lines = await linesIn({ files: { ...files, "home/.config/foo/token": "x" }, settings })
  expect(lines.slice(0, 2)).toEqual(["MY_TOKEN api.example.com", "GITLAB_TOKEN gitlab.corp"])
  expect(lines.filter((line) => /^(GITHUB_TOKEN|GITLAB_TOKEN gitlab\.com)/.test(line))).toEqual([])
  expect(ofFiles(lines)).toContain("@/home/.config/foo/token (whole) foo.example.com")
  expect(ofFiles(lines)).toContain("@/home/.netrc (netrc) git.corp:8443")
  expect(await linesIn({ files, settings: { credentials: "off" } })).toEqual([])
})

test("what settings name is removed and hidden, for readers too", async () => {
  using folder = temporaryFolder()
  const credentials = [
    { env: "MY_TOKEN", hosts: [] },
    { file: "~/token", hosts: ["foo.example.com"] },
  ]
  const { workspace, reader, programs } = await policiesIn(folder, {
    files: { "home/token": "x" },
    settings: { credentials },
  })
  expect(workspace.withoutVariables?.names).toContain("MY_TOKEN")
  for (const { hidden } of [workspace, reader]) expect(hidden.map(({ path }) => path)).toContain("@/home/token")
  expect([reader.credentials ?? [], programs.credentials]).toEqual([[], []])
})

const none: readonly (readonly [string, PolicyStory])[] = [
  ["there is no network", { settings: { network: { deniedDomains: ["*"] } } }],
  ["the mode is plan", { mode: "plan" }],
  ["a rule denies the files", { rules: [["deny", "Read(~/**)"]] }],
  ["a setting denies them", { settings: { filesystem: { denyRead: ["~/.npmrc", "~/.netrc", "~/.config"] } } }],
  [
    "a setting shows them as they are",
    { settings: { filesystem: { allowRead: ["~/.npmrc", "~/.netrc", "~/.config/gh"] } } },
  ],
]

test.each(none)("no file is copied where %s", async (_, story) => {
  expect(ofFiles(await linesIn({ files, ...story }))).toEqual([])
})

test("allowEnv hands in the real variable", async () => {
  const lines = await linesIn({ settings: { allowEnv: ["GITHUB_TOKEN"] } })
  expect(lines.filter((line) => line.startsWith("GITHUB_TOKEN"))).toEqual([])
})

test("the strongest source counts: its lines come first, and after its off nothing does", () => {
  const source = (
    file: string,
    credentials: "off" | readonly { readonly env: string; readonly hosts: readonly string[] }[],
  ) => ({
    file,
    base: "/",
    value: { credentials },
  })
  const both = saidCredentials([
    source("managed", [{ env: "A_TOKEN", hosts: ["a.corp"] }]),
    source("user", [
      { env: "A_TOKEN", hosts: ["evil.example"] },
      { env: "B_TOKEN", hosts: ["b.corp"] },
    ]),
  ])
  expect(both.entries.map(({ env, hosts, because }) => [env, hosts, because])).toEqual([
    ["A_TOKEN", ["a.corp"], "sandbox.credentials in managed"],
    ["B_TOKEN", ["b.corp"], "sandbox.credentials in user"],
  ])
  expect(saidCredentials([source("managed", "off"), source("user", [{ env: "A_TOKEN", hosts: ["a.corp"] }])])).toEqual({
    entries: [],
    withKnown: false,
  })
})
