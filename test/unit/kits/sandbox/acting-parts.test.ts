/** Which settings of a repository act, by git's own account of what is left of them. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import { setAside } from "#ground/workspace/set-aside.ts"
import { actingParts } from "#kits/sandbox/acting-parts.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"
import { runs } from "../../../kit/runs.ts"

const acting: readonly (readonly [string, string])[] = [
  ["alias.st", "!touch x"],
  ["alias.st", "status"],
  ["browser.x.cmd", "x"],
  ["core.alternateRefsCommand", "x"],
  ["core.askPass", "x"],
  ["core.attributesFile", "x"],
  ["core.editor", "x"],
  ["core.fsmonitor", "./x"],
  ["core.gitProxy", "x"],
  ["core.hooksPath", "x"],
  ["core.pager", "x"],
  ["core.sshCommand", "x"],
  ["core.worktree", "/"],
  ["credential.helper", "!x"],
  ["credential.https://example.com.helper", "!x"],
  ["diff.external", "x"],
  ["diff.x.command", "x"],
  ["diff.x.textconv", "x"],
  ["difftool.x.cmd", "x"],
  ["filter.x.clean", "x"],
  ["filter.x.process", "x"],
  ["filter.lfs.clean", "x"],
  ["gpg.program", "x"],
  ["gpg.ssh.defaultKeyCommand", "x"],
  ["gpg.ssh.program", "x"],
  ["guitool.x.cmd", "x"],
  ["http.proxy", "x"],
  ["http.https://example.com.sslVerify", "false"],
  ["include.path", "x"],
  ["includeIf.gitdir:/.path", "x"],
  ["init.templateDir", "x"],
  ["instaweb.httpd", "x"],
  ["interactive.diffFilter", "x"],
  ["lfs.customtransfer.x.path", "x"],
  ["man.x.cmd", "x"],
  ["merge.x.driver", "x"],
  ["mergetool.x.cmd", "x"],
  ["pager.log", "x"],
  ["protocol.ext.allow", "always"],
  ["remote.origin.receivepack", "x"],
  ["remote.origin.uploadpack", "x"],
  ["remote.origin.vcs", "x"],
  ["sendemail.smtpServer", "/x"],
  ["sequence.editor", "x"],
  ["submodule.x.update", "!x"],
  ["svn.authorsProg", "x"],
  ["tar.x.command", "x"],
  ["trailer.x.command", "x"],
  ["uploadpack.packObjectsHook", "x"],
  ["whatever.is.new", "x"],
]

const harmless: readonly (readonly [string, string])[] = [
  ["blame.ignoreRevsFile", ".git-blame-ignore-revs"],
  ["branch.main.merge", "refs/heads/main"],
  ["branch.main.remote", "origin"],
  ["commit.gpgSign", "true"],
  ["core.autocrlf", "input"],
  ["core.bare", "false"],
  ["core.fileMode", "true"],
  ["core.fsmonitor", "true"],
  ["core.logAllRefUpdates", "true"],
  ["core.repositoryFormatVersion", "0"],
  ["core.worktree", "../../sub"],
  ["extensions.objectFormat", "sha256"],
  ["filter.lfs.clean", "git-lfs clean -- %f"],
  ["gc.auto", "0"],
  ["init.defaultBranch", "main"],
  ["pull.rebase", "true"],
  ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
  ["remote.origin.url", "https://example.com/a b.git"],
  ['remote.a"b.url', "https://example.com/x.git"],
  ["submodule.lib/x.url", "https://example.com/x.git"],
  ["user.email", "n@example.com"],
  ["user.name", 'N "M" \\ #; O'],
]

function repository(folder: TemporaryFolder): string {
  const git = folder.join("work/.git")
  mkdirSync(git, { recursive: true })
  return git
}

const runGit = (file: string, ...words: readonly string[]): string =>
  Bun.spawnSync(["git", "config", "-f", file, ...words]).stdout.toString()

const keys = (file: string): readonly string[] =>
  runGit(file, "--list", "-z")
    .split("\0")
    .filter((each) => each !== "")

const groundOf = (folder: TemporaryFolder) => ({ disk: plainDisk, writable: [folder.path], isOld: () => false })

test.each(acting)("%s acts, and is taken out alone", (name, value) => {
  using folder = temporaryFolder()
  const git = repository(folder)
  runGit(`${git}/config`, "user.name", "N")
  runGit(`${git}/config`, name, value)
  const parts = actingParts(git, groundOf(folder))
  expect(parts.map((part) => part.name)).toEqual(["config"])
  for (const part of parts) setAside(part)
  expect(keys(`${git}/config`)).toEqual(["user.name\nN"])
  expect(runGit(`${git}/config.set-aside`, "--get", name)).toBe(`${value}\n`)
  expect(actingParts(git, groundOf(folder))).toEqual([])
})

test("what does not act stays, in any company, as git reads it", () => {
  fc.assert(
    fc.property(fc.subarray([...harmless, ...acting], { minLength: 1, maxLength: 12 }), (entries) => {
      using folder = temporaryFolder()
      const git = repository(folder)
      const isActing = (entry: (typeof acting)[number]): boolean => acting.includes(entry)
      // Each name once, so that the last one counts for both.
      const chosen = [...new Map(entries.map((entry) => [entry[0].toLowerCase(), entry])).values()]
      for (const [name, value] of chosen) runGit(`${git}/config`, name, value)
      const kept = keys(`${git}/config`).filter((line) => {
        const name = line.slice(0, line.indexOf("\n"))
        return !chosen.some((entry) => isActing(entry) && entry[0].toLowerCase() === name.toLowerCase())
      })
      for (const part of actingParts(git, groundOf(folder))) setAside(part)
      expect(keys(`${git}/config`).toSorted()).toEqual(kept.toSorted())
    }),
    { ...runs(20) },
  )
}, 300_000)

test.each(["[core", "= x", '[core]\n\tfsmonitor = "x', "[core]\n\tfsmonitor = x\\", "\0"])(
  "what is not understood is taken out: %j",
  (text) => {
    using folder = temporaryFolder()
    const git = repository(folder)
    writeFileSync(`${git}/config`, text)
    for (const part of actingParts(git, groundOf(folder))) setAside(part)
    expect(keys(`${git}/config`)).toEqual([])
  },
)

test("a file that names a repository stays if that was made for it, and goes if it was made for another place", () => {
  using folder = temporaryFolder()
  const ground = { ...groundOf(folder), isOld: () => true }
  const old = folder.join("old.git")
  for (const path of [old, folder.join("work"), folder.join("other")]) mkdirSync(path, { recursive: true })
  writeFileSync(`${old}/HEAD`, "ref: refs/heads/main\n")
  writeFileSync(`${old}/gitdir`, `${folder.join("work/.git")}\n`)
  for (const name of ["work", "other"]) writeFileSync(folder.join(`${name}/.git`), `gitdir: ${old}\n`)
  expect(actingParts(folder.join("work/.git"), ground)).toEqual([])
  expect(actingParts(folder.join("other/.git"), ground)).toMatchObject([
    { name: ".git", why: "it leads to a repository that does not belong here" },
  ])
  expect(actingParts(folder.join("other/.git"), groundOf(folder))).toEqual([])
})

test("a hook that is a link acts, whatever it leads to; a sample and a plain file do not", () => {
  using folder = temporaryFolder()
  const git = repository(folder)
  mkdirSync(`${git}/hooks`)
  writeFileSync(`${git}/hooks/pre-commit`, "")
  symlinkSync("/bin/true", `${git}/hooks/pre-push.sample`)
  expect(actingParts(git, groundOf(folder))).toEqual([])
  symlinkSync("nowhere-yet", `${git}/hooks/post-commit`)
  expect(actingParts(git, groundOf(folder)).map(({ name }) => name)).toEqual(["hooks"])
})

test("a folder of a worktree may name the repository around it, and no other", () => {
  using folder = temporaryFolder()
  const own = `${repository(folder)}/worktrees/a`
  mkdirSync(own, { recursive: true })
  writeFileSync(`${own}/commondir`, "../..\n")
  expect(actingParts(own, groundOf(folder))).toEqual([])
  writeFileSync(`${own}/commondir`, "../../..\n")
  expect(actingParts(own, groundOf(folder)).map(({ name }) => name)).toEqual(["commondir"])
})
