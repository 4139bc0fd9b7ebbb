/** A hook's command as a program to start: a line for a shell, or a program with its arguments. */

import { isAbsolute, resolve } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"

export interface HookCommand {
  readonly command: string
  /** If set, the command is a program started with these, without a shell. */
  readonly args?: readonly string[]
  readonly interpreter: "sh" | "bash"
}

export interface HookProgram {
  readonly file: string
  readonly argv: readonly string[]
}

/** The failure is part of a sentence. */
export function hookProgram(
  { command, args, interpreter }: HookCommand,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Result<HookProgram, string> {
  if (args === undefined) return ok({ file: `/bin/${interpreter}`, argv: ["-c", command] })
  const named = (text: string): string => text.replaceAll(placeholder, (_, name: string) => env[name] ?? "")
  const wanted = named(command)
  const file = wanted.includes("/")
    ? isAbsolute(wanted)
      ? wanted
      : resolve(cwd, wanted)
    : Bun.which(wanted, { PATH: env.PATH ?? "" })
  return file === null ? failed(`there is no program ${wanted}`) : ok({ file, argv: args.map(named) })
}

/** Without a shell, nothing else would expand these. */
const placeholder =
  /\$\{(CLAUDE_PROJECT_DIR|CODEWRIGHT_PROJECT_DIR|(?:CLAUDE|CODEWRIGHT)_(?:PLUGIN_(?:ROOT|DATA)|SKILL_DIR))\}/g
