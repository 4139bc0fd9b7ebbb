/** A project in which a command leaves something behind, in the sandbox or without one, and the user's git that meets it later. */

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "./open-test-session.ts"
import { bash, calls, says } from "./script.ts"
import { temporaryFolder } from "./tmp.ts"

export interface Left {
  readonly name: string
  /** For bash, in the project. `$RUN` is a command that leaves a mark if it runs outside the sandbox. */
  readonly script: string
  /** Where the user then works; the project when absent. */
  readonly visits?: readonly string[]
  /** What the user did before. */
  readonly before?: string
}

const auto: SandboxSettings = { enabled: true, autoAllowBashIfSandboxed: true }

/** The user's git, in the ways a prompt, an editor and a person use it. */
const used = `
git status; git diff; git log -1 --stat
git checkout -q -b used-later; git commit -q --allow-empty -m x; git add -A; git stash; git fetch; git merge --no-edit HEAD; git tag used-later
true`

const identity =
  "export GIT_AUTHOR_NAME=N GIT_AUTHOR_EMAIL=n@example.com GIT_COMMITTER_NAME=N GIT_COMMITTER_EMAIL=n@example.com"

export interface Project {
  readonly root: string
  /** A program that leaves a mark. It cannot be reached by a confined command. */
  readonly mark: string
}

export async function outside(project: Project, script: string, cwd: string = project.root): Promise<string> {
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: join(project.root, ".."),
    RUN: `touch ${project.mark}`,
    GIT_CONFIG_NOSYSTEM: "1",
  }
  const child = Bun.spawn(["/bin/bash", "-c", `${identity}\n${script}`], { cwd, env, stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return out + err
}

const prepare = async (project: Project, { before = "" }: Left): Promise<void> => {
  await outside(project, `git init -q . && echo a > a.txt && git add . && git commit -qm one\n${before}`)
  rmSync(project.mark, { force: true })
}

/** Whether the user's git ran what was left, and what the user's git said. */
async function meets(project: Project, { visits = ["."] }: Left): Promise<boolean> {
  for (const visit of visits)
    if (existsSync(join(project.root, visit))) await outside(project, used, join(project.root, visit))
  return existsSync(project.mark)
}

/** Without a sandbox, to see that there is something to prove. */
export async function actsUnconfined(left: Left): Promise<boolean> {
  using folder = temporaryFolder()
  const project = { root: folder.join("project"), mark: folder.join("mark") }
  mkdirSync(project.root)
  await prepare(project, left)
  await outside(project, left.script)
  rmSync(project.mark, { force: true })
  return await meets(project, left)
}

export interface Confined extends AsyncDisposable {
  readonly session: TestSession
  readonly project: Project
  /** Results as the model got them. */
  readonly results: () => readonly string[]
  readonly asked: () => number
  readonly isMet: () => Promise<boolean>
}

/** In the sandbox, each script as a command of its own, without a question. */
export async function confined(
  left: Left,
  scripts: readonly string[] = [left.script],
  more: Partial<TestSessionOptions> = {},
): Promise<Confined> {
  let asked = 0
  const session = await openTestSession({
    script: {
      replies: [...scripts.map((_, i) => calls(bash(`bash work-${i}.sh`))), says("Done.")],
    },
    mode: "default",
    allow: [],
    sandbox: { values: auto, sources: [] },
    answers: () => {
      asked++
      return { kind: "allow" }
    },
    ...more,
  })
  const project = { root: session.root, mark: session.path("../mark") }
  await prepare(project, left)
  // What a script does is not seen beforehand.
  for (const [i, script] of scripts.entries())
    put(project, `work-${i}.sh`, `${identity}\nRUN="touch ${project.mark}"\n${script}\n`)
  return {
    session,
    project,
    results: () => session.results().map(({ content }) => String(content)),
    asked: () => asked,
    isMet: () => meets(project, left),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

const put = (project: Project, path: string, text: string): void => {
  mkdirSync(join(project.root, path, ".."), { recursive: true })
  writeFileSync(join(project.root, path), text)
}
