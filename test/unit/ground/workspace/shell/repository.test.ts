import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { disk } from "#ground/workspace/disk.ts"
import { isPlainConfig, readConfig } from "#ground/workspace/shell/programs/git-config.ts"
import { repositoriesInIndex } from "#ground/workspace/shell/programs/git-index.ts"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"
import { repositoryRunsPrograms } from "#ground/workspace/shell/programs/repository.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../../kit/tmp.ts"
import { corpusCases } from "./corpus.ts"

const plain = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }

/** A repository with a change, and a program that leaves a mark when anything starts it. */
interface Lab {
  readonly root: string
  readonly evil: string
  readonly mark: string
  readonly git: (...args: readonly string[]) => string
  readonly isMarked: () => boolean
}

function lab(folder: TemporaryFolder): Lab {
  const root = folder.join("repository")
  const mark = folder.join("mark")
  const evil = folder.join("evil")
  mkdirSync(root)
  writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`)
  chmodSync(evil, 0o755)
  const git = (...args: readonly string[]): string => {
    const ran = Bun.spawnSync(
      ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "protocol.file.allow=always", ...args],
      { cwd: root, env: plain, stderr: "pipe" },
    )
    if (ran.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr.toString()}`)
    return ran.stdout.toString().trim()
  }
  git("init", "-q", ".")
  mkdirSync(join(root, "src"))
  writeFileSync(join(root, "src/main.ts"), "one\n")
  writeFileSync(join(root, "README.md"), "one\n")
  git("add", ".")
  git("commit", "-q", "-m", "one")
  writeFileSync(join(root, "src/main.ts"), "two\n")
  git("stash", "-q")
  writeFileSync(join(root, "src/main.ts"), "three\n")
  // Only a file whose date does not fit is compared by content, and so goes through filters.
  utimesSync(join(root, "README.md"), 1000, 1000)
  const isMarked = (): boolean => {
    const marked = existsSync(mark)
    rmSync(mark, { force: true })
    return marked
  }
  return { root, evil, mark, git, isMarked }
}

const showing = corpusCases("benign-git.jsonl").map(({ command }) => command)

function run(command: string, cwd: string, env: Readonly<Record<string, string>>): void {
  Bun.spawnSync(["/bin/bash", "--noprofile", "--norc", "-c", command], {
    cwd,
    env: { ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  })
}

/** What is switched off from outside. `shows` is a command that starts the program when nothing is switched off. */
const switchedOff: readonly { readonly name: string; readonly shows?: string; readonly set: (lab: Lab) => void }[] = [
  { name: "nothing at all", set: () => undefined },
  { name: "a file system monitor", shows: "git status", set: ({ git, evil }) => git("config", "core.fsmonitor", evil) },
  {
    name: "hooks in the repository",
    shows: "git status",
    set: ({ root, evil }) => {
      writeFileSync(join(root, ".git/hooks/post-index-change"), `#!/bin/sh\nexec ${evil} </dev/null\n`, { mode: 0o755 })
    },
  },
  {
    name: "hooks elsewhere",
    shows: "git status",
    set: ({ root, evil, git }) => {
      mkdirSync(join(root, ".husky"))
      writeFileSync(join(root, ".husky/post-index-change"), `#!/bin/sh\nexec ${evil} </dev/null\n`, { mode: 0o755 })
      git("config", "core.hooksPath", ".husky")
    },
  },
  {
    name: "pagers and editors",
    set: ({ git, evil }) => {
      for (const key of ["core.pager", "core.editor", "sequence.editor"]) git("config", key, evil)
    },
  },
  {
    name: "aliases of everything",
    set: ({ git, evil }) => {
      for (const name of ["status", "log", "diff", "show", "branch"]) git("config", `alias.${name}`, `!${evil}`)
    },
  },
  {
    name: "signatures that are checked",
    shows: "git log",
    set: ({ git, evil, root }) => {
      const signed = git("cat-file", "commit", "HEAD").replace(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
      )
      writeFileSync(join(root, "../signed"), `${signed}\n`)
      git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", join(root, "../signed")))
      git("config", "gpg.program", evil)
      git("config", "log.showSignature", "true")
      git("config", "format.pretty", "format:%G? %s")
    },
  },
  {
    name: "a merge driver, which nothing reaches that only shows",
    set: (made) => {
      mergeWithConflict(made)
      made.git("config", "merge.evil.driver", made.evil)
    },
  },
]

describe("what a repository configures and we switch off", () => {
  test.each([...switchedOff])("$name", ({ set, shows }) => {
    using folder = temporaryFolder()
    const made = lab(folder)
    set(made)
    made.isMarked()
    if (shows !== undefined) {
      run(shows, made.root, plain)
      expect(made.isMarked()).toBe(true)
    }
    expect(repositoryRunsPrograms(made.root, disk)).toBe(false)
    // Not the bytes of the index: git diff brings the dates in it up to date, whatever it is told about locks.
    const before = made.git("ls-files", "--stage")
    made.isMarked()
    // One shell for all of them: what matters is the mark, and starting fifty is slow.
    run(showing.map((command) => `( ${command} )`).join("\n"), made.root, readOnlyEnvironment(plain))
    expect(made.isMarked()).toBe(false)
    expect(made.git("ls-files", "--stage")).toBe(before)
  })
})

/** What cannot be switched off, so that such a repository is not looked at unasked. */
const refused: readonly { readonly name: string; readonly shows?: string; readonly set: (lab: Lab) => void }[] = [
  { name: "an external diff", shows: "git diff", set: ({ git, evil }) => git("config", "diff.external", evil) },
  {
    name: "a text converter",
    shows: "git diff",
    set: ({ git, evil, root }) => {
      git("config", "diff.evil.textconv", evil)
      writeFileSync(join(root, ".gitattributes"), "* diff=evil\n")
    },
  },
  {
    name: "a diff driver",
    shows: "git diff",
    set: ({ git, evil, root }) => {
      git("config", "diff.evil.command", evil)
      writeFileSync(join(root, ".gitattributes"), "* diff=evil\n")
    },
  },
  {
    name: "a clean filter",
    shows: "git status",
    set: ({ git, evil, root }) => {
      git("config", "filter.evil.clean", evil)
      writeFileSync(join(root, ".gitattributes"), "* filter=evil\n")
    },
  },
  {
    name: "a filter process",
    shows: "git status",
    set: ({ git, evil, root }) => {
      git("config", "filter.evil.process", evil)
      writeFileSync(join(root, ".gitattributes"), "* filter=evil\n")
    },
  },
  {
    name: "a filter behind a comment that ends in a backslash",
    shows: "git status",
    set: ({ evil, root }) => {
      const config = join(root, ".git/config")
      writeFileSync(config, `${readFileSync(config, "utf8")}[user]\n# name \\\n[filter "evil"]\nclean = ${evil}\n`)
      writeFileSync(join(root, ".gitattributes"), "* filter=evil\n")
    },
  },
  {
    name: "an included file",
    shows: "git status",
    set: ({ git, evil, root }) => {
      writeFileSync(join(root, "more"), `[filter "evil"]\nclean = ${evil}\n`)
      writeFileSync(join(root, ".gitattributes"), "* filter=evil\n")
      git("config", "include.path", "../more")
    },
  },
  {
    name: "a configuration of the worktree",
    shows: "git status",
    set: ({ git, evil, root }) => {
      git("config", "extensions.worktreeConfig", "true")
      git("config", "--worktree", "filter.evil.clean", evil)
      writeFileSync(join(root, ".gitattributes"), "* filter=evil\n")
    },
  },
  {
    name: "a repository inside",
    shows: "git status",
    set: ({ git, evil, root }) => {
      const inner = join(root, "inner")
      mkdirSync(inner)
      git("-C", inner, "init", "-q")
      writeFileSync(join(inner, "f"), "one\n")
      git("-C", inner, "add", "f")
      git("-C", inner, "commit", "-q", "-m", "one")
      git("add", "inner")
      git("-C", inner, "config", "filter.evil.clean", evil)
      writeFileSync(join(inner, ".gitattributes"), "* filter=evil\n")
      writeFileSync(join(inner, "f"), "two\n")
      utimesSync(join(inner, "f"), 1000, 1000)
    },
  },
  {
    name: "merges that are done once more to show them",
    shows: "git log -m -p",
    set: (made) => {
      mergeWithConflict(made)
      made.git("config", "merge.evil.driver", made.evil)
      made.git("config", "log.diffMerges", "remerge")
    },
  },
  {
    name: "a remote that is fetched from when objects are missing",
    shows: "git show HEAD:README.md",
    set: ({ git, mark, root }) => {
      const blob = git("rev-parse", "HEAD:README.md")
      rmSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true })
      git("config", "core.repositoryFormatVersion", "1")
      git("config", "extensions.partialClone", "origin")
      git("config", "remote.origin.url", root)
      git("config", "remote.origin.promisor", "true")
      git("config", "remote.origin.uploadpack", `touch ${mark}; false`)
    },
  },
  { name: "an extension of git-lfs", set: ({ git, evil }) => git("config", "lfs.extension.evil.clean", evil) },
  { name: "a transfer of git-lfs", set: ({ git, evil }) => git("config", "lfs.customtransfer.evil.path", evil) },
  { name: "commits to ignore, outside", set: ({ git }) => git("config", "blame.ignoreRevsFile", "/etc/passwd") },
  {
    name: "commits to ignore, behind a link",
    set: ({ git, root }) => {
      symlinkSync("/etc/passwd", join(root, "revs"))
      git("config", "blame.ignoreRevsFile", "revs")
    },
  },
  { name: "patterns to ignore, outside", set: ({ git }) => git("config", "core.excludesFile", "~/.ssh/config") },
  { name: "attributes, outside", set: ({ git }) => git("config", "core.attributesFile", "/etc/passwd") },
  { name: "an order of files, outside", set: ({ git }) => git("config", "diff.orderFile", "/etc/passwd") },
  { name: "names of people, outside", set: ({ git }) => git("config", "mailmap.file", "/etc/passwd") },
  { name: "a command for trailers", set: ({ git, evil }) => git("config", "trailer.evil.cmd", evil) },
  { name: "a command for submodules", set: ({ git, evil }) => git("config", "submodule.x.update", `!${evil}`) },
  {
    name: "a filter of git-annex",
    set: ({ git }) => git("config", "filter.annex.process", "git-annex filter-process"),
  },
  { name: "a filter that only sounds like git-lfs", set: ({ git }) => git("config", "filter.lfs.clean", "./git-lfs") },
  { name: "a hook of git itself", set: ({ git, evil }) => git("config", "uploadpack.packObjectsHook", evil) },
  {
    name: "objects of another repository",
    set: ({ root }) => writeFileSync(join(root, ".git/objects/info/alternates"), "/somewhere/.git/objects\n"),
  },
  { name: "another working folder", set: ({ git }) => git("config", "core.worktree", "/etc") },
  { name: "a setting nobody knows", set: ({ git }) => git("config", "novelty.program", "x") },
]

/** Two branches that change the same line, merged by hand; an attribute names a driver for all files. */
function mergeWithConflict({ git, root, isMarked }: Lab): void {
  const say = (text: string): void => {
    writeFileSync(join(root, "README.md"), text)
    git("commit", "-q", "-a", "-m", text.trim())
  }
  writeFileSync(join(root, ".gitattributes"), "* merge=evil\n")
  git("add", ".gitattributes")
  git("commit", "-q", "-a", "-m", "attributes")
  git("checkout", "-q", "-b", "other")
  say("theirs\n")
  git("checkout", "-q", "-")
  say("ours\n")
  git("merge", "-q", "-s", "ours", "-m", "both", "other")
  isMarked()
}

test("what people and their tools write into a configuration is plain", () => {
  using folder = temporaryFolder()
  const made = lab(folder)
  const settings: { readonly [key: string]: string } = {
    "user.name": "n",
    "user.signingkey": "~/.ssh/id_ed25519.pub",
    "commit.gpgsign": "true",
    "remote.origin.url": "git@example.com:x/y.git",
    "remote.origin.gh-resolved": "base",
    "branch.main.merge": "refs/heads/main",
    "branch.main.vscode-merge-base": "origin/main",
    "alias.st": "status -sb",
    "alias.x": "!make",
    "blame.ignoreRevsFile": ".git-blame-ignore-revs",
    "core.excludesFile": ".gitignore-more",
    "core.autocrlf": "input",
    "core.hooksPath": ".husky",
    "credential.helper": "store",
    "http.https://example.com/.extraheader": "AUTHORIZATION: basic x",
    "submodule.lib.url": "../lib.git",
    "lfs.repositoryformatversion": "0",
    "lfs.https://example.com/x.git/info/lfs.access": "basic",
    "filter.lfs.clean": "git-lfs clean -- %f",
    "filter.lfs.smudge": "git-lfs smudge -- %f",
    "filter.lfs.process": "git-lfs filter-process",
    "filter.lfs.required": "true",
    "merge.ours.driver": "true",
    "diff.algorithm": "histogram",
    "diff.ts.xfuncname": "^class",
    "pull.rebase": "true",
    "rerere.enabled": "true",
    "url.git@example.com:.insteadOf": "https://example.com/",
  }
  for (const [key, value] of Object.entries(settings)) made.git("config", key, value)
  expect(repositoryRunsPrograms(made.root, disk)).toBe(false)
})

describe("what a repository configures and nobody can switch off", () => {
  test.each([...refused])("$name", ({ set, shows }) => {
    using folder = temporaryFolder()
    const made = lab(folder)
    set(made)
    made.isMarked()
    if (shows !== undefined) {
      run(shows, made.root, plain)
      expect(made.isMarked()).toBe(true)
    }
    expect(repositoryRunsPrograms(made.root, disk)).toBe(true)
  })

  test("a folder that is itself a repository", () => {
    using folder = temporaryFolder()
    const made = lab(folder)
    made.git("init", "-q", "--bare", join(made.root, "docs"))
    expect(repositoryRunsPrograms(join(made.root, "docs"), disk)).toBe(true)
    expect(repositoryRunsPrograms(made.root, disk)).toBe(false)
  })

  test("a worktree and a submodule are judged by their own and their shared configuration", () => {
    using folder = temporaryFolder()
    const made = lab(folder)
    const beside = folder.join("beside")
    made.git("worktree", "add", "-q", beside)
    made.git("submodule", "--quiet", "add", made.root, "part")
    expect(repositoryRunsPrograms(beside, disk)).toBe(false)
    expect(repositoryRunsPrograms(join(made.root, "part"), disk)).toBe(false)
    expect(repositoryRunsPrograms(made.root, disk)).toBe(false)
    made.git("config", "diff.external", made.evil)
    expect(repositoryRunsPrograms(beside, disk)).toBe(true)
    expect(repositoryRunsPrograms(join(made.root, "part"), disk)).toBe(false)
  })

  test("a folder that only says it belongs to another repository", () => {
    using folder = temporaryFolder()
    const made = lab(folder)
    const beside = folder.join("beside")
    made.git("worktree", "add", "-q", beside)
    const [claims, linked, common] = ["claims", "linked", "common"].map((name) => folder.join(name))
    for (const each of [claims, linked, common]) mkdirSync(each ?? "")
    writeFileSync(`${claims}/.git`, `gitdir: ${made.root}/.git\n`)
    expect(repositoryRunsPrograms(claims ?? "", disk)).toBe(true)
    writeFileSync(`${claims}/.git`, readFileSync(join(beside, ".git")))
    expect(repositoryRunsPrograms(claims ?? "", disk)).toBe(true)
    symlinkSync(join(made.root, ".git"), `${linked}/.git`)
    expect(repositoryRunsPrograms(linked ?? "", disk)).toBe(true)
    made.git("-C", common ?? "", "init", "-q")
    expect(repositoryRunsPrograms(common ?? "", disk)).toBe(false)
    writeFileSync(`${common}/.git/commondir`, `${made.root}/.git\n`)
    expect(repositoryRunsPrograms(common ?? "", disk)).toBe(true)
  })

  test("a driver of the person's own that a project could bring along", () => {
    using folder = temporaryFolder()
    const made = lab(folder)
    const home = folder.join("home")
    mkdirSync(home)
    const withOwn = (text: string): boolean => {
      writeFileSync(join(home, ".gitconfig"), text)
      return repositoryRunsPrograms(made.root, disk, home)
    }
    expect(withOwn('[filter "lfs"]\nclean = git-lfs clean -- %f\n[diff "pdf"]\ntextconv = pdftotext\n')).toBe(false)
    expect(withOwn('[diff "doc"]\ntextconv = /usr/bin/antiword\n[core]\npager = ./less\n')).toBe(false)
    expect(withOwn('[diff "doc"]\ntextconv = scripts/convert\n')).toBe(true)
    expect(withOwn('[filter "x"]\nclean = ./clean\n')).toBe(true)
  })

  test("outside of any repository there is nothing to run", () => {
    using folder = temporaryFolder()
    expect(repositoryRunsPrograms(folder.path, disk)).toBe(false)
  })
})

describe("git's own files", () => {
  test.each([2, 4])("repositories inside are found in an index of version %d", (version) => {
    using folder = temporaryFolder()
    const made = lab(folder)
    const head = made.git("rev-parse", "HEAD")
    for (const path of ["a/inner", "src/main.ts.d", "z"])
      made.git("update-index", "--add", "--cacheinfo", `160000,${head},${path}`)
    made.git("update-index", "--index-version", String(version))
    expect(repositoriesInIndex(readFileSync(join(made.root, ".git/index")), 20)).toEqual([
      "a/inner",
      "src/main.ts.d",
      "z",
    ])
  })

  test("an index that is cut, split or none is not understood", () => {
    using folder = temporaryFolder()
    const made = lab(folder)
    const bytes = readFileSync(join(made.root, ".git/index"))
    expect(repositoriesInIndex(bytes, 20)).toEqual([])
    expect(repositoriesInIndex(bytes.subarray(0, 90), 20)).toBeUndefined()
    expect(repositoriesInIndex(new Uint8Array(100), 20)).toBeUndefined()
    made.git("update-index", "--split-index")
    expect(repositoriesInIndex(readFileSync(join(made.root, ".git/index")), 20)).toBeUndefined()
  })

  test("a configuration is read as git reads it", () => {
    const text = `# c \\\n[Core] bare = false ; no \\\n\tEditor = "vi # x" # y\n[remote "o\\"x"]\n url = a\\\nb\n[diff.Evil]\ncommand\n`
    expect(readConfig(text)).toEqual([
      { section: "core", subsection: undefined, key: "bare", value: "false" },
      { section: "core", subsection: undefined, key: "editor", value: "vi # x" },
      { section: "remote", subsection: 'o\\"x', key: "url", value: "ab" },
      { section: "diff", subsection: "Evil", key: "command", value: "" },
    ])
    expect(isPlainConfig(text, { isOwnFolder: () => false, isOwnFile: () => false })).toBe(false)
    expect(readConfig("[core]\nx = \\q\n")).toBeUndefined()
    expect(readConfig("key = 1\n")).toBeUndefined()
    expect(readConfig('[core]\nx = "open\n')).toBeUndefined()
  })
})
