/** The system prompt as flags give it: as text, or in a file. */

import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import type { SystemChoice } from "#session/opening/options.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"

export function systemPrompt(
  args: Arguments<FlagName>,
  cwd: string,
): Result<Pick<SystemChoice, "replaced" | "appended">, StartFailure> {
  const replaced = textOf("system-prompt", args, cwd)
  if (!replaced.ok) return replaced
  const appended = textOf("append-system-prompt", args, cwd)
  if (!appended.ok) return appended
  return ok({ ...optional("replaced", replaced.value), ...optional("appended", appended.value) })
}

type Chosen = Pick<SystemChoice, "replaced" | "appended">

/** Clients send an empty system prompt where their program gave none: it must not take the place of the agent's. */
export function withAgentPrompt(
  { replaced, ...rest }: Chosen,
  playing: string | undefined,
): Chosen & Pick<SystemChoice, "playing"> {
  if (playing === undefined) return { ...rest, ...optional("replaced", replaced) }
  return { ...rest, ...([replaced ?? ""].flat().join("").trim() !== "" && optional("replaced", replaced)), playing }
}

function textOf(
  flag: "system-prompt" | "append-system-prompt",
  args: Arguments<FlagName>,
  cwd: string,
): Result<string | undefined, StartFailure> {
  const text = args.value(flag)
  const file = args.value(`${flag}-file`)
  if (file === undefined) return ok(text)
  if (text !== undefined) return usage(`Use --${flag} or --${flag}-file, not both.`)
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(resolve(cwd, file))))
  } catch (error) {
    const why = error instanceof TypeError ? "it is not UTF-8 text" : error instanceof Error ? error.message : ""
    return usage(`--${flag}-file: ${file} cannot be read: ${why}.`)
  }
}
