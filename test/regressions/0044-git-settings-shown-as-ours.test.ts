/** `git config` behind the reader wall showed the settings that we force, and secrets that a setting holds. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

async function inRepository(
  config: string,
  commands: readonly string[],
  prepare?: (path: (name: string) => string) => void,
) {
  await using t = await openTestSession({
    script: [...commands.map((command) => calls(bash(command))), says("Done.")],
    mode: "default",
    allow: [],
  })
  Bun.spawnSync(["git", "init", "-q", t.path(".")])
  writeFileSync(t.path(".git/config"), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${config}`)
  prepare?.(t.path)
  await t.prompt("go")
  return t.results().map(({ content, denied }) => (denied ? "asked" : String(content).trim()))
}

const own = "\tpager = less -R\n\thooksPath = .husky\n[credential]\n\thelper = store\n"

test("git's settings are those of the user and the repository", async () => {
  const commands = [
    "git config core.pager",
    "git config --get core.hooksPath",
    "git config credential.helper",
    "git config --list --local",
  ]
  const [pager, hooks, helper, list] = await inRepository(own, commands)
  expect([pager, hooks, helper]).toEqual(["less -R", ".husky", "store"])
  expect(list).not.toContain("/dev/null")
})

test("beside any other use of git they are ours, so that nothing is started", async () => {
  const [line] = await inRepository(own, ["git config core.pager; git status --short"])
  expect(line?.split("\n")[0]).toBe("cat")
})

test("a setting that holds a secret is not shown unasked", async () => {
  const header = '[http "https://example.com/"]\n\textraHeader = Authorization: bearer abc\n'
  const token = '[remote "origin"]\n\turl = https://me:ghp_abcdef@example.com/a.git\n'
  const asked = ["git config --list", "git config -l --local", "git config --get-regexp http", "git config list"]
  expect(await inRepository(header, asked)).toEqual(asked.map(() => "asked"))
  const one = "git config --get http.https://example.com/.extraHeader"
  expect(await inRepository("", [one])).toEqual(["asked"])
  const addresses = ["git remote -v", "git remote get-url origin", "git config --get remote.origin.url", "git var -l"]
  expect(await inRepository(token, addresses)).toEqual(addresses.map(() => "asked"))
  // The harmless ones beside it.
  const free = ["git config user.name", "git config --list --name-only", "git remote"]
  expect(await inRepository(`[user]\n\tname = dev\n${header}${token}`, free)).toEqual([
    "dev",
    expect.not.stringContaining("asked"),
    "origin",
  ])
})

test("git in another folder is judged by the repository there", async () => {
  const free = [
    "git -C . status --short",
    "git -C src rev-parse --show-prefix",
    "(cd src && git rev-parse --show-prefix)",
  ]
  const asks = [
    "git -C evil status",
    "(cd evil && git status)",
    "git -C bare log",
    "git -C link status",
    "git -C .. status",
    "git -C /tmp status",
    "git -C src diff --no-index a b",
    "git -C src -c core.pager=x log",
    'git -C "$FOLDER" status',
  ]
  const commands = [...free, ...asks]
  const answers = await inRepository("", commands, (path) => {
    for (const folder of ["src", "evil/.git/objects", "evil/.git/refs", "bare/objects", "bare/refs"])
      mkdirSync(path(folder), { recursive: true })
    writeFileSync(path("src/a.txt"), "x")
    for (const git of ["evil/.git", "bare"]) {
      writeFileSync(path(`${git}/HEAD`), "ref: refs/heads/main\n")
      writeFileSync(path(`${git}/config`), "[diff]\n\texternal = touch pwned\n")
    }
    symlinkSync("evil", path("link"))
  })
  expect(answers.map((answer) => answer === "asked")).toEqual(commands.map((command) => asks.includes(command)))
  expect(answers.slice(1, 3)).toEqual(["src/", "src/"])
})
