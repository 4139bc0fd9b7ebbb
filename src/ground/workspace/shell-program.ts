/** A command line as a program to start: bash without any start files, given exactly this string. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import type { JudgedView } from "#agent/words/boundary.ts"
import type { Ids } from "#lib/ids.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OutputRoom } from "./processes/output-room.ts"
import type { ProcessFailure, Program } from "./processes/process-groups.ts"
import { readOnlyEnvironment, searchPath } from "./shell/read-only-environment.ts"

export interface ShellProgram extends Program {
  readonly outputFile: string
  readonly outputRoom?: OutputRoom
  readonly needed: Needed
  /** Removes temporary files; returns the shell's last folder, if it could tell. */
  readonly finish: () => string | undefined
}

/** Our own files that a program must be able to use, however it is confined. */
export interface Needed {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

export interface ShellProgramOptions {
  readonly ids: Ids
  /** For commands, without secrets. */
  readonly env: () => Readonly<Record<string, string>>
  readonly outputFolder: string
  readonly outputRoom?: OutputRoom
  readonly scratch: string
  /** A program of the user that is given each command to run, as one argument; see `prefixWords`. */
  readonly prefix?: string
  /** Whether a folder belongs to the project, whose programs must not be taken for the system's; none when absent. */
  readonly isProjectFolder?: (path: string) => boolean
}

export interface ShellCommand {
  readonly command: string
  readonly cwd: string
  readonly sources: readonly string[]
  /** Nobody was asked about it: nothing in its environment, or in a repository, starts a program. */
  readonly judged?: JudgedView | undefined
  /** Definitions that the line needs, read after the sources. */
  readonly functions?: string
}

export type ShellPrograms = (command: ShellCommand) => Result<ShellProgram, ProcessFailure>

/** `sources` are files to read before the command, each if it exists. */
export function openShellPrograms(options: ShellProgramOptions): ShellPrograms {
  const { ids, outputFolder, scratch } = options
  const prefix = options.prefix === undefined ? [] : prefixWords(options.prefix)
  const environmentOf = openEnvironments(options)
  const folderFiles = openFolderFiles(options)

  return ({ command, cwd, sources: requestedSources, judged, functions }) => {
    const id = ids.uuid()
    const commandFile = join(scratch, `command-${id}`)
    const functionFile = join(scratch, `functions-${id}`)
    const sources = functions === undefined ? requestedSources : [...requestedSources, functionFile]
    // Where processes are looked for by their words, the shell must not be found by the words of the command.
    const isLong =
      Buffer.byteLength(prefix.length > 0 ? quoted(command) : command) > longestArgument || judged?.machine === true
    let folderFile: FolderFile
    try {
      folderFile = folderFiles(id)
      if (isLong) writeFileSync(commandFile, command, { mode: 0o600 })
      if (functions !== undefined) writeFileSync(functionFile, functions, { mode: 0o600 })
    } catch (error) {
      return failed({ kind: "other", message: error instanceof Error ? error.message : String(error) })
    }
    const what = isLong ? ["file", commandFile] : ["text", command]
    const argv = [...bareShell, wrapper, "bash", folderFile.path, id, ...what, ...sources]
    return ok({
      file: shellFile(),
      argv:
        prefix.length === 0
          ? argv
          : [...bareShell, 'exec "$@"', "bash", ...prefix, [shellFile(), ...argv].map(quoted).join(" ")],
      cwd,
      env: environmentOf(cwd, judged),
      outputFile: join(outputFolder, `bash-${id}.txt`),
      ...optional("outputRoom", options.outputRoom),
      needed: {
        reads: [...(isLong ? [commandFile] : []), ...prefix.slice(0, 1).filter(isAbsolute), ...sources],
        writes: [folderFile.path],
      },
      finish() {
        if (isLong) rmSync(commandFile, { force: true })
        if (functions !== undefined) rmSync(functionFile, { force: true })
        return folderFile.next()
      },
    })
  }
}

const bareShell: readonly string[] = ["--noprofile", "--norc", "-c"]

/** The program's path may contain spaces; its flags begin at the first word with a dash. */
function prefixWords(prefix: string): readonly string[] {
  const [, file = "", flags = ""] = /^(.*?)(\s-.*)?$/s.exec(prefix.trim()) ?? []
  return [file, ...flags.split(/\s+/)].filter((word) => word !== "")
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** The same object as long as nothing changes, so that what is worked out from it can be kept. */
export function openEnvironments({
  env,
  isProjectFolder = () => false,
}: Pick<ShellProgramOptions, "env" | "isProjectFolder">): (
  cwd: string,
  judged: JudgedView | undefined,
) => Readonly<Record<string, string>> {
  type Kind = "usual" | "judged" | "own git"
  const known = new Map<Kind, { readonly key: readonly unknown[]; readonly made: Record<string, string> }>()
  return (cwd, judged) => {
    const kind: Kind = judged ? (judged.ownGitSettings ? "own git" : "judged") : "usual"
    const own = env()
    const path = kind !== "usual" && own.PATH !== undefined ? searchPath(own.PATH, isProjectFolder) : undefined
    const key = [own, cwd, path]
    const before = known.get(kind)
    if (before?.key.every((each, i) => each === key[i])) return before.made
    const usual = shellEnvironment(own, cwd)
    const gitSettings = kind === "own git" ? "own" : "forced"
    const made = kind === "usual" ? usual : readOnlyEnvironment(usual, isProjectFolder, { gitSettings })
    known.set(kind, { key, made })
    return made
  }
}

interface FolderFile {
  readonly path: string
  /** The shell's last folder, if it could tell. */
  readonly next: () => string | undefined
}

/**
 * The files in which shells leave their last folder. A later command uses one again, and neither of us ever empties it:
 * on a disk that takes as long as starting a program. So the command's id says whether what is in it is its own.
 */
function openFolderFiles({ ids, scratch }: ShellProgramOptions): (id: string) => FolderFile {
  const top = join(scratch, "cwd")
  const free: string[] = []

  return (id) => {
    mkdirSync(top, { recursive: true, mode: 0o700 })
    const path = free.pop() ?? join(top, ids.uuid())
    // It is there before the command, so that it can be written where nothing new can be made beside it.
    if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600 })
    let isTaken = false
    return {
      path,
      next() {
        if (isTaken) return undefined
        isTaken = true
        const folder = folderIn(path, id)
        // A shell that was killed before it wrote the file may have left something that still will.
        if (folder === undefined) rmSync(path, { force: true })
        else free.push(path)
        return folder
      },
    }
  }
}

function folderIn(file: string, id: string): string | undefined {
  try {
    const [owner, folder] = readFileSync(file, "utf8").split("\0")
    // The shell adds exactly one line end; a folder's own name may end in more.
    return owner === id && folder?.endsWith("\n") ? folder.slice(0, -1) : undefined
  } catch {
    return undefined
  }
}

/** The kernel takes no single argument longer than 128 KiB; a longer command goes through a file. */
const longestArgument = 100_000

/**
 * One line, so that line numbers in the shell's own messages are those of the command. The command is evaluated, not
 * pasted in, so that nothing in it can break out; the trap reports the last folder however the command ends. Under
 * `set -x` it must not show itself; a closed stderr does that without opening a file, which a sandbox would look at.
 */
const wrapper = [
  `__cw_folder_file=$1 __cw_id=$2`,
  `if [ "$3" = file ]; then IFS= read -r -d '' __cw_command < "$4"; else __cw_command=$4; fi`,
  `trap '{ set +x; } 2>&-; { builtin printf "%s\\0" "$__cw_id"; builtin pwd; builtin printf "\\0"; } 1<> "$__cw_folder_file"' EXIT`,
  `shift 4`,
  `for __cw_source; do if [ -r "$__cw_source" ]; then . "$__cw_source"; fi; done`,
  `set --`,
  `eval -- "$__cw_command"`,
].join("; ")

const shells = [
  "/bin/bash",
  "/usr/bin/bash",
  "/usr/local/bin/bash",
  "/opt/homebrew/bin/bash",
  "/run/current-system/sw/bin/bash",
] as const

/** The bash that runs commands. Never searched for on the PATH, which may include a project's own folders. */
export function shellFile(): string {
  return shells.find((path) => existsSync(path)) ?? shells[0]
}

/** What would make the shell read other files, change the meaning of words, or wait for input. */
const unwanted: readonly string[] = [
  "BASH_ENV",
  "ENV",
  "SHELLOPTS",
  "BASHOPTS",
  "PS4",
  "PROMPT_COMMAND",
  "CDPATH",
  "GLOBIGNORE",
  "IFS",
  "POSIXLY_CORRECT",
  "BASH_XTRACEFD",
]

/** The environment of a non-interactive shell. */
export function shellEnvironment(env: Readonly<Record<string, string>>, cwd: string): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !unwanted.includes(name) && !name.startsWith("BASH_FUNC_"))
  return {
    // Without it bash would look the user up, which may mean to ask a server.
    SHELL: shellFile(),
    ...Object.fromEntries(kept),
    PWD: cwd,
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_TERMINAL_PROMPT: "0",
    CODEWRIGHT: "1",
    CLAUDECODE: "1",
  }
}
