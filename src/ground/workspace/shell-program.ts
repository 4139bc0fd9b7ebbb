/** A command line as a program to start: bash without any start files, given exactly this string. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ProcessFailure, Program } from "./process-groups.ts"
import { readOnlyEnvironment } from "./shell/read-only-environment.ts"

export interface ShellProgram extends Program {
  readonly outputFile: string
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
  readonly scratch: string
  /** Whether a folder belongs to the project, whose programs must not be taken for the system's; none when absent. */
  readonly isProjectFolder?: (path: string) => boolean
}

export interface ShellCommand {
  readonly command: string
  readonly cwd: string
  readonly sources: readonly string[]
  readonly onlyReads?: boolean
}

/** `sources` are files to read before the command, each if it exists; `onlyReads` hardens the environment. */
export function shellProgram(
  { ids, env, outputFolder, scratch, isProjectFolder }: ShellProgramOptions,
  { command, cwd, sources, onlyReads = false }: ShellCommand,
): Result<ShellProgram, ProcessFailure> {
  const id = ids.uuid()
  const folderFile = join(scratch, `cwd-${id}`)
  const commandFile = join(scratch, `command-${id}`)
  const isLong = Buffer.byteLength(command) > longestArgument
  try {
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    // It is there before the command, so that it can be written where nothing new can be made beside it.
    writeFileSync(folderFile, "", { mode: 0o600 })
    if (isLong) writeFileSync(commandFile, command, { mode: 0o600 })
  } catch (error) {
    return failed({ kind: "other", message: error instanceof Error ? error.message : String(error) })
  }
  const what = isLong ? ["file", commandFile] : ["text", command]
  return ok({
    file: shellFile(),
    argv: ["--noprofile", "--norc", "-c", wrapper, "bash", folderFile, ...what, ...sources],
    cwd,
    env: onlyReads ? readOnlyEnvironment(shellEnvironment(env(), cwd), isProjectFolder) : shellEnvironment(env(), cwd),
    outputFile: join(outputFolder, `bash-${id}.txt`),
    needed: { reads: [...(isLong ? [commandFile] : []), ...sources], writes: [folderFile] },
    finish() {
      if (isLong) rmSync(commandFile, { force: true })
      return takeFolder(folderFile)
    },
  })
}

/** The kernel takes no single argument longer than 128 KiB; a longer command goes through a file. */
const longestArgument = 100_000

/**
 * One line, so that line numbers in the shell's own messages are those of the command. The command is evaluated, not
 * pasted in, so that nothing in it can break out; the trap reports the last folder however the command ends.
 */
const wrapper = [
  `__cw_folder_file=$1`,
  `if [ "$2" = file ]; then IFS= read -r -d '' __cw_command < "$3"; else __cw_command=$3; fi`,
  `trap '{ set +x; } 2>/dev/null; builtin pwd >| "$__cw_folder_file"' EXIT`,
  `shift 3`,
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

function takeFolder(file: string): string | undefined {
  try {
    const folder = readFileSync(file, "utf8")
    rmSync(file, { force: true })
    // The shell adds exactly one line end; a folder's own name may end in more.
    return folder.endsWith("\n") ? folder.slice(0, -1) : undefined
  } catch {
    return undefined
  }
}
