/** A real git repository with one commit, for tests that merge: neither a signature nor a hook may hold a merge up. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Merge, openMerge } from "#ground/workspace/git/merge.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "./tmp.ts"

export interface TestRepository extends AsyncDisposable {
  readonly root: string
  readonly git: (...argv: readonly string[]) => string
  readonly put: (name: string, text: string) => void
  /** A branch with one commit that writes these files; the first branch is checked out again. */
  readonly branch: (name: string, files: { readonly [name: string]: string }) => void
  readonly merge: Merge
}

export async function openTestRepository(): Promise<TestRepository> {
  const folder = temporaryFolder()
  const root = folder.join("repository")
  mkdirSync(root)
  const env = { PATH: "/usr/bin:/bin", HOME: root }
  const git = (...argv: readonly string[]): string => {
    const ran = Bun.spawnSync(["/usr/bin/git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], {
      cwd: root,
      env,
    })
    if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
    return ran.stdout.toString().trim()
  }
  const put = (name: string, text: string): void => writeFileSync(join(root, name), text)
  git("init", "-q", "-b", "main")
  git("config", "user.name", "Lead")
  git("config", "user.email", "lead@example.com")
  git("config", "commit.gpgsign", "true")
  put(".git/hooks/pre-merge-commit", "#!/bin/sh\nexit 1\n")
  Bun.spawnSync(["chmod", "+x", join(root, ".git/hooks/pre-merge-commit")])
  put("a.txt", "one\n")
  git("add", ".")
  git("commit", "-q", "--no-gpg-sign", "-m", "first")
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: folder.join("scratch"),
    graceMs: 500,
    drainMs: 100,
  })
  return {
    root,
    git,
    put,
    branch(name, files) {
      git("checkout", "-q", "-b", name)
      for (const [file, text] of Object.entries(files)) put(file, text)
      git("add", ".")
      git("commit", "-q", "--no-gpg-sign", "-m", `work of ${name}`)
      git("checkout", "-q", "main")
    },
    merge: openMerge({ processes, clock: systemClock, env: () => env, repository: root }),
    async [Symbol.asyncDispose]() {
      await processes.close()
      folder[Symbol.dispose]()
    },
  }
}
