/** Starts this program again for a member of a team: as a child of this process, or in a pane of tmux. */

import { spawn, spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"

export interface Launch {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
}

/**
 * It gets `input` on its standard input, as a file that has no name any more: nothing of it can be found on disk or in
 * a list of processes, and unlike a pipe nobody has to write to it or watch it. What it says goes to the file `errors`.
 */
export function startChild(
  { argv: [file = "", ...argv], cwd, env }: Launch,
  { input, errors }: { readonly input: string; readonly errors: string },
): Promise<Result<number, string>> {
  mkdirSync(dirname(errors), { recursive: true, mode: 0o700 })
  const said = openSync(errors, "w", 0o600)
  keepPrivately(`${errors}.in`, input)
  const inputFd = openSync(`${errors}.in`, "r")
  rmSync(`${errors}.in`)
  return new Promise((resolve) => {
    // In a session of its own: Ctrl+C in the lead's terminal is meant for the lead.
    const child = spawn(file, argv, { cwd, env, detached: true, stdio: [inputFd, "ignore", said] })
    closeSync(said)
    closeSync(inputFd)
    child.once("error", (error) => resolve(failed(error.message)))
    child.once("spawn", () => {
      // The lead must not be kept running by it.
      child.unref()
      resolve(child.pid === undefined ? failed("it has no pid") : ok(child.pid))
    })
  })
}

/** A pane cannot be given an input or an environment without showing them to others: both are in the file, which the program removes when it has read it. */
export function keepPrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  writeFileSync(path, text, { mode: 0o600, flag: "wx" })
}

export interface Pane {
  /** Beside this pane of the tmux that we run in; otherwise in a tmux session of this name. */
  readonly beside: string | undefined
  readonly session: string
  readonly title: string
}

export interface StartedPane {
  readonly id: string
  readonly pid: number
}

export function startPane(launch: Launch, { beside, session, title }: Pane): Result<StartedPane, string> {
  const { argv, cwd, env } = launch
  const report = ["-d", "-P", "-F", "#{pane_id} #{pane_pid}", "-c", cwd]
  const tmux = (...words: readonly string[]): Result<string, string> => {
    const ran = spawnSync("tmux", words, { env, encoding: "utf8" })
    if (ran.error) return failed(`tmux cannot be started: ${ran.error.message}`)
    return ran.status === 0 ? ok(ran.stdout.trim()) : failed(ran.stderr.trim() || `tmux failed (${ran.status})`)
  }
  const isThere = beside !== undefined || tmux("has-session", "-t", `=${session}`).ok
  const target = beside ?? `=${session}:`
  const split = isThere
    ? tmux("split-window", ...report, "-t", target, ...argv)
    : tmux("new-session", ...report, "-s", session, "-x", "200", "-y", "50", ...argv)
  // A window that is full: the next one has room.
  const made = split.ok || !isThere ? split : tmux("new-window", ...report, "-t", target, ...argv)
  if (!made.ok) return made
  const [id = "", pid] = made.value.split(" ")
  if (split.ok && isThere) tmux("select-layout", "-t", id, beside === undefined ? "tiled" : "main-vertical")
  tmux("select-pane", "-t", id, "-T", title)
  return /^\d+$/.test(pid ?? "") ? ok({ id, pid: Number(pid) }) : failed(`tmux said ${made.value}`)
}
