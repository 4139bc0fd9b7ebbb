/** What is asked before the first conversation, and in every folder that is new. */

import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import { executableKeys } from "#ground/settings/executable.ts"
import { executableLines } from "#ground/settings/executable-lines.ts"
import { namedProvider } from "#ground/models/provider.ts"
import { keepKey } from "#ground/settings/kept-key.ts"
import { setSetting } from "#ground/settings/set.ts"
import { isTrusted, trustFolder } from "#ground/settings/trust.ts"
import type { FirstRunPorts, ReachPort, TrustPort } from "#faces/tui/first-run/ports.ts"
import { systemClock } from "#lib/clock.ts"
import { type Result, ok } from "#lib/result.ts"
import type { Arguments } from "./argv.ts"
import { hasModel } from "./connect.ts"
import type { FlagName } from "./flags.ts"
import type { Setting } from "./setting.ts"

/** What there is to ask; nothing when all is known. */
export function firstRunPorts(args: Arguments<FlagName>, setting: Setting): FirstRunPorts | undefined {
  const { state } = setting
  const userFile = join(state, "settings.json")
  const isFirst = !existsSync(userFile)
  const trust = trustPort(args, setting)
  const reach = (isFirst || !hasModel(setting)) && !args.has("model") ? reachPort(setting, userFile) : undefined
  if (!isFirst && !trust && !reach) return undefined
  return {
    ...(isFirst && { themes: { keep: (theme) => setSetting({ file: userFile, key: "theme", value: theme }) } }),
    ...(reach && { reach }),
    ...(trust && { trust }),
  }
}

function reachPort({ state, environment }: Setting, file: string): ReachPort {
  const { apiKey, authToken } = environment
  return {
    keyVariable: apiKey ? "ANTHROPIC_API_KEY" : authToken ? "ANTHROPIC_AUTH_TOKEN" : undefined,
    keepKey: (key) => keepKey(state, key),
    servers: async (signal) => (await import("./local-servers.ts")).localServers(signal),
    useServer: ({ url }, model) =>
      all(
        // Local servers want some token, and take any.
        () => setSetting({ file, key: "env.ANTHROPIC_BASE_URL", value: url }),
        () => setSetting({ file, key: "env.ANTHROPIC_AUTH_TOKEN", value: "local" }),
        // Some of their models are called as a provider is, such as openai/gpt-oss.
        () => setSetting({ file, key: "model", value: namedProvider(model) ? `anthropic/${model}` : model }),
      ),
    useSimulator: () => setSetting({ file, key: "model", value: "sim" }),
  }
}

function all(...steps: readonly (() => Result<void, string>)[]): Result<void, string> {
  for (const step of steps) {
    const done = step()
    if (!done.ok) return done
  }
  return ok(undefined)
}

function trustPort(args: Arguments<FlagName>, { cwd, state, environment, loaded }: Setting): TrustPort | undefined {
  if (args.has("trust") || environment.trust) return undefined
  const known = isTrusted(state, cwd)
  const changed = loaded.leftOut.filter(({ why }) => why === "changed")
  if (known && changed.length === 0) return undefined
  // Rules that would allow something wait for trust too, though they run nothing by themselves.
  const others = loaded.leftOut
    .filter(({ why, key }) => why === "untrusted" && !executableKeys.includes(key.split(".")[0] ?? ""))
    .map(({ file, key, count }) => ({
      file: file.startsWith(`${cwd}/`) ? relative(cwd, file) : file,
      what: key,
      detail: count === 1 ? "1 entry" : `${count} entries`,
    }))
  return {
    folder: cwd,
    why: known ? "changed" : "new",
    runs: [...executableLines(cwd), ...others],
    accept() {
      const trusted = trustFolder({ state, folder: cwd, clock: systemClock })
      return trusted.ok ? ok(undefined) : trusted
    },
  }
}
