/** What is asked before the first conversation, and in every folder that is new. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { anthropicName } from "#ground/models/anthropic/releases.ts"
import { simulatorName } from "#ground/models/simulated.ts"
import { setSetting } from "#ground/settings/set.ts"
import type { ProjectLine } from "#ground/settings/project-lines.ts"
import { holdsHome, trustFolder, untrustedLines } from "#ground/settings/trust.ts"
import type { FirstRunPorts, ReachPort, TrustPort } from "#faces/tui/first-run/ports.ts"
import { systemClock } from "#lib/clock.ts"
import { type Result, ok } from "#lib/result.ts"
import type { Arguments } from "./flags/argv.ts"
import { usesCloud } from "./models/cloud-names.ts"
import { hasModel } from "./models/connect.ts"
import { extensionLines } from "./extensions/extension-lines.ts"
import type { FlagName } from "./flags/flags.ts"
import { lazyProviderPanel } from "./models/lazy-provider-panel.ts"
import type { StartFailure } from "./failure.ts"
import { readSetting, type StartupContext, type TrustAnswer } from "./startup-context.ts"

export interface FirstQuestions {
  readonly ports: FirstRunPorts
  readonly accepted: TrustAnswer
}

export async function firstQuestions(
  args: Arguments<FlagName>,
  setting: StartupContext,
): Promise<FirstQuestions | undefined> {
  const { state } = setting
  const userFile = join(state, "settings.json")
  // Whoever resumes a conversation has been here before.
  const isFirst = !existsSync(userFile) && !isResuming(args)
  const trust = await trustQuestion(args, setting)
  const reach =
    (isFirst || !hasModel(setting)) && !usesCloud(setting) && !args.has("model")
      ? reachPort(setting, userFile)
      : undefined
  if (!isFirst && !trust && !reach) return undefined
  return {
    ports: {
      ...(isFirst && { themes: { keep: (theme) => setSetting({ file: userFile, key: "theme", value: theme }) } }),
      ...(reach && { reach }),
      ...trust?.ports,
    },
    accepted: trust?.accepted ?? "as kept",
  }
}

export const isResuming = (args: Arguments<FlagName>): boolean => args.has("resume") || args.has("continue")

function reachPort(setting: StartupContext, file: string): ReachPort {
  const useModel = (model: string): Result<void, string> => setSetting({ file, key: "model", value: model })
  return {
    providers: lazyProviderPanel(setting, setting.offline ? "nobody" : "servers"),
    // Without a setting, the model is Anthropic's.
    useModel: (provider, model) =>
      provider !== anthropicName
        ? useModel(`${provider}/${model}`)
        : setting.loaded.settings.model === undefined
          ? ok(undefined)
          : useModel(model),
    useSimulator: () => useModel(simulatorName),
  }
}

/** Undefined if everything in the folder, as its files are now, is trusted. */
export async function trustQuestion(
  args: Arguments<FlagName>,
  setting: StartupContext,
): Promise<FirstQuestions | undefined> {
  const { cwd, state, home, environment, known } = setting
  if (args.has("trust") || environment.trust) return undefined
  const lines = await projectLines(args, setting)
  const fresh = known ? untrustedLines(lines, known) : lines
  if (fresh.length === 0 && (known || isBare(lines, setting))) return undefined
  const atHome = holdsHome(cwd, home)
  const trust: TrustPort = {
    folder: cwd,
    why: known ? "changed" : "new",
    lasts: atHome ? "session" : "for good",
    runs: fresh,
    accept() {
      // What was shown counts, and not what may lie there by now.
      const trusted = atHome ? ok(cwd) : trustFolder({ state, home, clock: systemClock }, cwd, lines)
      return trusted.ok ? ok(undefined) : trusted
    },
  }
  return { ports: { trust }, accepted: atHome ? new Set(lines.map(({ digest }) => digest)) : "as kept" }
}

/**
 * A folder whose files say nothing that needs trust is worked in like a trusted one. Nothing in its files counts that
 * appears meanwhile; the next start asks about that.
 */
export async function trustingBare(
  args: Arguments<FlagName>,
  setting: StartupContext,
  folder?: string,
): Promise<Result<StartupContext, StartFailure>> {
  const isUnasked = setting.known === undefined && !setting.trusted && !setting.declined
  if (!isUnasked || !isBare(await projectLines(args, setting), setting)) return ok(setting)
  return readSetting(args, folder, new Set())
}

/** Whether the project's files say nothing that needs trust: then there is nothing to ask, and nothing to leave out. */
const isBare = (lines: readonly ProjectLine[], { loaded }: StartupContext): boolean =>
  lines.length === 0 && loaded.leftOut.length === 0

/** Everything in the project's files that would run or permit something, each once. */
export async function projectLines(
  args: Arguments<FlagName>,
  setting: StartupContext,
): Promise<readonly ProjectLine[]> {
  const lines = [...setting.loaded.lines, ...(await extensionLines(args, setting))]
  return [...new Map(lines.map((line) => [line.digest, line])).values()]
}
