/** Whoever selected a cloud by its variable was asked for a key of Anthropic at the first start. */

import { expect, test } from "bun:test"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { firstQuestions } from "#faces/cli/first-run.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test.each([
  [{}, true],
  [{ ANTHROPIC_API_KEY: "k" }, true],
  [{ CLAUDE_CODE_USE_BEDROCK: "1" }, false],
  [{ CLAUDE_CODE_USE_VERTEX: "1" }, false],
  [{ CLAUDE_CODE_USE_FOUNDRY: "1" }, false],
] as const)("with %j, the first start asks for a model: %p", async (env, asks) => {
  using folder = temporaryFolder()
  const args = parseArguments([], flags)
  if (!args.ok) throw new Error(args.failure.message)
  const raw = { HOME: folder.path, CODEWRIGHT_HOME: folder.join("state"), ...env }
  const setting = await readSetting(args.value, folder.path, "as kept", raw)
  if (!setting.ok) throw new Error("no setting")
  const questions = await firstQuestions(args.value, setting.value)
  expect(questions?.ports.themes).toBeDefined()
  expect(questions?.ports.reach !== undefined).toBe(asks)
})
