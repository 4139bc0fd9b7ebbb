/** What flags want of the answer and of questions: a form, a tool that decides, and gates. */

import type { LoadedSettings } from "#ground/settings/load.ts"
import { goalCheck } from "#agent/words/goal.ts"
import type { GoalSettings, Settings } from "#ground/settings/settings.ts"
import { optional } from "#lib/optional.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"
import { type ChosenGates, chosenGates, gateSourcesIn } from "./gates-flag.ts"

export interface ScriptWishes {
  readonly outputSchema?: JsonObject
  readonly promptTool?: string
  readonly gates: ChosenGates
  readonly goal?: SessionOptions["goal"]
}

export function scriptOptions(
  args: Pick<Arguments<FlagName>, "value" | "list">,
  { settings, layers }: Pick<LoadedSettings, "layers"> & { readonly settings: Pick<Settings, "gates" | "goal"> },
): Result<ScriptWishes, StartFailure> {
  const gates = chosenGates(args, settings.gates, gateSourcesIn(layers))
  if (!gates.ok) return gates
  const text = args.value("json-schema")
  const schema = text === undefined ? undefined : objectIn(text)
  if (text !== undefined && !schema)
    return usage('--json-schema must be a JSON Schema as an object, such as {"type":"object","properties":{…}}.')
  const tool = args.value("permission-prompt-tool")
  const promptTool = tool === "stdio" || args.value("permission-prompts") === "none" ? undefined : tool
  if (promptTool !== undefined && !/^mcp__.+__.+$/.test(promptTool))
    return usage(`--permission-prompt-tool must be a tool of an MCP server, mcp__server__tool, not ${promptTool}.`)
  const goal = chosenGoal(args.value("goal"), settings.goal)
  if (!goal.ok) return goal
  return ok({
    ...optional("outputSchema", schema),
    ...optional("promptTool", promptTool),
    ...optional("goal", goal.value),
    gates: gates.value,
  })
}

function chosenGoal(
  typed: string | undefined,
  { maxChecks, maxSteps, maxMinutes, maxBudgetUsd }: GoalSettings = {},
): Result<SessionOptions["goal"], StartFailure> {
  const check = typed === undefined ? undefined : goalCheck(typed)
  if (typed !== undefined && !check)
    return usage("--goal takes a command that must succeed, '$ npm test', or a sentence that must be true.")
  const limits = {
    ...optional("checks", maxChecks),
    ...optional("steps", maxSteps),
    ...optional("ms", maxMinutes === undefined ? undefined : maxMinutes * 60_000),
    ...optional("usd", maxBudgetUsd),
  }
  if (!check && Object.keys(limits).length === 0) return ok(undefined)
  return ok({ ...optional("check", check), limits })
}
