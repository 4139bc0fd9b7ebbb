/** The built-in tools that `--tools` leaves the model. */

import { knownTools } from "#kits/permissions/rules/tool-names.ts"
import { nearNames } from "#lib/near.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"

interface ChosenTools {
  /** All when absent. */
  readonly tools?: readonly string[]
  readonly warnings: readonly string[]
}

/** An unknown name is no error: scripts name tools that other programs have. */
export function chosenTools(args: Pick<Arguments<FlagName>, "has" | "list">): Result<ChosenTools, StartFailure> {
  const names = args.list("tools")
  if (!args.has("tools") || names.includes("default")) return ok({ warnings: [] })
  const rule = names.find((name) => name.includes("("))
  if (rule !== undefined)
    return usage(
      `--tools takes names, not rules such as ${rule}. Put rules into --allowed-tools or --disallowed-tools.`,
    )
  return ok({ tools: names, warnings: names.flatMap(unknownWords) })
}

function unknownWords(name: string): readonly string[] {
  if (knownTools.includes(name) || name.startsWith("mcp__")) return []
  const near = nearNames(name, knownTools, 1)[0]
  return [`--tools: there is no tool ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`]
}
