/** Takes over the user's shell profile once: its functions, aliases, options and PATH, as a file for every command. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, isAbsolute, join } from "node:path"
import { deferred } from "#lib/deferred.ts"
import type { Ids } from "#lib/ids.ts"
import { isBelow } from "#lib/lies-in.ts"
import type { Result } from "#lib/result.ts"
import { type OwnFile, openOwnFile } from "./own-file.ts"
import { realPath } from "./paths.ts"
import type { Processes, Ran } from "./processes/process.ts"
import { type ProcessFailure, sayProcess } from "./processes/process-groups.ts"
import { shellEnvironment, shellFile } from "./shell-program.ts"
import { askingArguments, type ProfileShell, readingScript } from "./snapshot-scripts.ts"
import {
  isReadingOption,
  mergedPath,
  type NamedText,
  parseProfile,
  snapshotText,
  worthTaking,
} from "./snapshot-text.ts"

/** The user's own shell, as the system knows it: nothing a project could have set. */
export interface PersonShell {
  /** `$SHELL`; only bash and zsh are supported. */
  readonly file: string
  readonly env: () => Readonly<Record<string, string>>
}

export interface Snapshot {
  /** Starts in the background, unless it has started. */
  readonly start: () => void
  /** Waits until it is done or the signal aborts; returns the file to read before a command, if there is one. */
  readonly ready: (signal: AbortSignal) => Promise<string | undefined>
  /** Why there is none although there should be; returned once. */
  readonly takeNote: () => string | undefined
}

export interface SnapshotOptions {
  /** Whose profile is taken over; `off` if it may not be run. */
  readonly person: PersonShell | "off"
  readonly processes: Processes
  readonly home: string
  /** The project, from which no shell is run. */
  readonly root: string
  readonly scratch: string
  readonly ids: Ids
}

const profileMs = 10_000
const profileGraceMs = 200
const noOutput = { characters: 1000, fileBytes: 0 } as const

export function openSnapshot({ person, processes, home, root, scratch, ids }: SnapshotOptions): Snapshot {
  const kind = person === "off" ? undefined : kindOf(person.file, root)
  let making: Promise<OwnFile | undefined> | undefined
  let note: string | undefined

  /** An unpredictable name, so that no one could have put something there beforehand. */
  const newFile = (): string => join(scratch, `profile-${ids.uuid()}`)

  const run = (file: string, argv: readonly string[], env: Readonly<Record<string, string>>) =>
    processes.run({
      file,
      argv,
      cwd: home,
      env: shellEnvironment(env, home),
      timeoutMs: profileMs,
      graceMs: profileGraceMs,
      signal: new AbortController().signal,
      limits: noOutput,
      // Nothing is written there; the result is in memory.
      outputFile: "/dev/null",
    })

  async function make(shell: PersonShell, shellKind: ProfileShell): Promise<OwnFile | undefined> {
    const made = await tryToMake(shell, shellKind).catch((error: unknown) => ({ why: String(error) }))
    if ("text" in made) return openOwnFile({ folder: scratch, name: "profile", text: made.text, ids })
    note = `The profile of ${shell.file} was left out: ${made.why}. Commands run without its functions, aliases and PATH.`
    return undefined
  }

  async function tryToMake(shell: PersonShell, shellKind: ProfileShell): Promise<Made> {
    const answers = newFile()
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    // In the user's home folder, so that nothing of the project is read, whatever the profile does on entering a
    // folder.
    const asked = await run(shell.file, askingArguments(shellKind, answers), { ...shell.env(), HOME: home })
    const answerText = readAndRemove(answers)
    const profile = asked.ok && asked.value.end === "exited" ? parseProfile(answerText) : undefined
    if (profile === undefined) return { why: whyNot(asked) }
    const functions = await readable(worthTaking(profile.functions, shellKind), profile.options.filter(isReadingOption))
    const path = mergedPath(profile.path, shell.env().PATH ?? "")
    return { text: snapshotText({ ...profile, functions, path }) }
  }

  /** The functions that bash can parse: those of another shell, or of a newer bash, may not be among them. */
  async function readable(functions: readonly NamedText[], options: readonly string[]): Promise<readonly NamedText[]> {
    if (functions.length === 0) return []
    const functionsFile = newFile()
    const names = newFile()
    writeFileSync(functionsFile, functions.map(({ name, text }) => `${name}\0${text}\0`).join(""), {
      mode: 0o600,
      flag: "wx",
    })
    await run(shellFile(), ["--noprofile", "--norc", "-c", readingScript, "bash", functionsFile, names, ...options], {})
    rmSync(functionsFile, { force: true })
    const known = new Set(readAndRemove(names).split("\0"))
    return functions.filter(({ name }) => known.has(name))
  }

  function start(): Promise<OwnFile | undefined> {
    making ??= person === "off" || kind === undefined ? Promise.resolve(undefined) : make(person, kind)
    return making
  }

  return {
    start: () => void start(),
    async ready(signal) {
      const aborted = deferred<undefined>()
      const onAbort = (): void => aborted.resolve(undefined)
      signal.addEventListener("abort", onAbort, { once: true })
      const profile = await Promise.race([start(), aborted.promise])
      signal.removeEventListener("abort", onAbort)
      return profile?.path()
    },
    takeNote() {
      const said = note
      note = undefined
      return said
    },
  }
}

type Made = { readonly text: string } | { readonly why: string }

function kindOf(file: string, root: string): ProfileShell | undefined {
  if (!isAbsolute(file) || isBelow(realPath(file), realPath(root))) return undefined
  const name = basename(file)
  return name === "bash" || name === "zsh" ? name : undefined
}

function readAndRemove(file: string): string {
  try {
    const text = readFileSync(file, "utf8")
    rmSync(file, { force: true })
    return text
  } catch {
    return ""
  }
}

function whyNot(asked: Result<Ran, ProcessFailure>): string {
  if (!asked.ok) return sayProcess(asked.failure)
  if (asked.value.end === "timed_out") return `it took longer than ${profileMs / 1000} s`
  const last = asked.value.output.text.trim().split("\n").at(-1)?.slice(0, 200)
  return `it ended before its end with exit code ${asked.value.exitCode}${last ? ` (${last})` : ""}`
}
