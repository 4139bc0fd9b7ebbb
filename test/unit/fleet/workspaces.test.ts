import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { mayBeginIn, repositoryOf } from "#fleet/workspaces.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const git = (url: string) => ({ git: { url } })

test("an entry stands for itself and what is below it, and nothing leads out of it", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("work/app"), { recursive: true })
  mkdirSync(folder.join("other"))
  symlinkSync(folder.join("other"), folder.join("work/link"))
  const allowed = [folder.join("work"), "https://git.example/acme", "git@git.example:acme/"]
  const places = {
    [folder.join("work")]: true,
    [folder.join("work/app")]: true,
    [folder.join("work/not there yet")]: true,
    [folder.join("work/../other")]: false,
    [folder.join("work/link")]: false,
    [folder.join("workers")]: false,
    "/": false,
  }
  for (const [path, expected] of Object.entries(places)) {
    expect([path, mayBeginIn({ path }, allowed)]).toEqual([path, expected])
    expect([path, mayBeginIn(git(path), allowed)]).toEqual([path, expected])
  }
  const urls = {
    "https://git.example/acme": true,
    "https://git.example/acme/app.git": true,
    "https://git.example/acme-other/app.git": false,
    "https://git.example/acme/../secret.git": false,
    "https://git.example/acme/%2e%2e/secret.git": false,
    "https://git.example.evil/acme/app.git": false,
    "http://git.example/acme/app.git": false,
    "git@git.example:acme/app.git": true,
    "git@git.example:other/app.git": false,
    "file:///etc": false,
  }
  for (const [url, expected] of Object.entries(urls))
    expect([url, mayBeginIn(git(url), allowed)]).toEqual([url, expected])
})

test("a repository is the same one, whatever address somebody names", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("app.git"))
  symlinkSync(folder.join("app.git"), folder.join("link"))
  const rows: readonly (readonly [workspace: Parameters<typeof repositoryOf>[0], is: string])[] = [
    [git("https://Git.Example/acme/app.git"), "git.example/acme/app"],
    [git("https://ann@git.example:8443/acme/app/"), "git.example/acme/app"],
    [git("ssh://git@git.example:22/acme/app"), "git.example/acme/app"],
    [git("git@git.example:acme/app.git"), "git.example/acme/app"],
    [git("git@git.example:/acme/app"), "git.example/acme/app"],
    [git("git@git.example:acme/App"), "git.example/acme/App"],
    [git(folder.join("app.git")), folder.join("app")],
    [git(`file://${folder.join("app.git")}/`), folder.join("app")],
    [{ path: folder.join("link/") }, folder.join("app.git")],
  ]
  for (const [workspace, is] of rows) expect([workspace, repositoryOf(workspace)]).toEqual([workspace, is])
})
