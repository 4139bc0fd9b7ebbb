/**
 * Background sessions as files of the state folder: one for each, and small marks beside it. Whoever wants something of the host writes a file; the host
 * sees it because it watches the folder.
 */

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { takeLock } from "#ground/transcript/lock.ts"
import { blockFor } from "#lib/clock.ts"
import { objectIn } from "#lib/json.ts"
import { watchFolder } from "#lib/state-file.ts"
import { decodeJob, type BackgroundJob, type JobPrompt } from "./job.ts"
import { namesIn, statsOf, textOfFile } from "#lib/quietly.ts"

/**
 * `stopped`: nothing of it runs until somebody resumes it. `problem`: why it could not be opened. `wanted`: somebody wants it open now. `removed`: not
 * listed until a turn begins in it again. `mail`: another session has written to it. `reading`: the same, and the host has opened it for that.
 */
export type Mark = "stopped" | "problem" | "wanted" | "removed" | "mail" | "reading"

export interface Jobs {
  readonly folder: string
  readonly list: () => readonly BackgroundJob[]
  readonly get: (id: string) => BackgroundJob | undefined
  readonly put: (job: BackgroundJob) => void
  readonly addPrompt: (id: string, prompt: JobPrompt) => boolean
  /** What is in the log need not be sent again. */
  readonly removePrompt: (id: string, promptId: string) => void
  readonly remove: (id: string) => void
  readonly mark: (id: string, mark: Mark, text?: string) => void
  readonly unmark: (id: string, mark: Mark) => void
  /** One mark becomes another. False if it is not there. */
  readonly remark: (id: string, from: Mark, to: Mark) => boolean
  readonly marked: (id: string, mark: Mark) => { readonly text: string; readonly at: number } | undefined
  /** Credentials for the host alone: the file is gone once they were read. */
  readonly lend: (id: string, env: { readonly [name: string]: string }) => void
  readonly borrow: (id: string) => { readonly [name: string]: string } | undefined
  /** Lets the host look again. */
  readonly poke: () => void
  /** Calls back when something was written. Returns what ends it. */
  readonly watch: (changed: () => void) => () => void
}

export const jobsFolder = (state: string): string => join(state, "background")

export function openJobs(state: string, pid: number): Jobs {
  const folder = jobsFolder(state)
  const fileOf = (id: string, ending: string): string => join(folder, `${id}.${ending}`)

  function get(id: string): BackgroundJob | undefined {
    return decodeJob(textOfFile(fileOf(id, "json")) ?? "")
  }

  function put(job: BackgroundJob): void {
    write(fileOf(job.id, "json"), JSON.stringify(job))
  }

  function write(path: string, text: string): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const temporary = `${path}.${pid}`
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, path)
  }

  /** The host and a command may change the same one. */
  function change(id: string, to: (job: BackgroundJob) => BackgroundJob): boolean {
    const lock = locked(fileOf(id, "lock"))
    try {
      const job = get(id)
      if (job) put(to(job))
      return job !== undefined
    } finally {
      lock()
    }
  }

  function locked(path: string): () => void {
    for (;;) {
      const lock = takeLock(path, pid)
      if (lock.ok) return lock.value
      if (lock.failure.kind !== "held") return () => {}
      blockFor(1)
    }
  }

  return {
    folder,
    get,
    put,
    list: () =>
      namesIn(folder)
        .toSorted()
        .flatMap((name) => (name.endsWith(".json") ? (get(name.slice(0, -".json".length)) ?? []) : [])),
    addPrompt: (id, prompt) => change(id, (job) => ({ ...job, prompts: [...job.prompts, prompt] })),
    removePrompt: (id, promptId) =>
      void change(id, (job) => ({ ...job, prompts: job.prompts.filter((prompt) => prompt.id !== promptId) })),
    remove(id) {
      for (const ending of ["json", "stopped", "problem", "wanted", "mail", "reading", "env"])
        rmSync(fileOf(id, ending), { force: true })
    },
    mark: (id, mark, text = "") => write(fileOf(id, mark), text),
    unmark: (id, mark) => rmSync(fileOf(id, mark), { force: true }),
    remark(id, from, to) {
      try {
        renameSync(fileOf(id, from), fileOf(id, to))
        return true
      } catch {
        return false
      }
    },
    marked(id, mark) {
      const text = textOfFile(fileOf(id, mark))
      const at = statsOf(fileOf(id, mark))?.mtimeMs
      return text === undefined || at === undefined ? undefined : { text, at }
    },
    lend: (id, env) => write(fileOf(id, "env"), JSON.stringify(env)),
    borrow(id) {
      const text = textOfFile(fileOf(id, "env"))
      rmSync(fileOf(id, "env"), { force: true })
      // Written by this program.
      return objectIn(text ?? "") as { readonly [name: string]: string } | undefined
    },
    poke: () => write(join(folder, "poke"), ""),
    watch(changed) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return watchFolder(folder, changed).close
    },
  }
}
