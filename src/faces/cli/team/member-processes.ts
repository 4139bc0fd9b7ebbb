/** How members of a team are started in processes of their own: where, and with what. */

import { dirname, join } from "node:path"
import { readFileSync } from "node:fs"
import { keepPrivately, type Launch, startChild, startPane } from "#ground/team/processes.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { failed, ok } from "#lib/result.ts"
import type { JsonObject } from "#lib/json.ts"
import type { MemberProcesses } from "#session/opening/member-port.ts"
import { teamFile } from "#team/place.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { ownProgram } from "#faces/cli/own-program.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** What the process of a member needs besides its seat: the same flags, trust and folder as this one. */
export interface MemberProgram {
  readonly args: { readonly [flag: string]: readonly string[] }
  readonly cwd: string
  /** What counts of the folder's files: as in a `TrustAnswer`. */
  readonly trust: "as kept" | "declined" | readonly string[]
  /** In a pane, where it would otherwise be that of the tmux server. */
  readonly env?: { readonly [name: string]: string }
}

/** Undefined where members run in this process. */
export function memberProcesses(
  args: Arguments<FlagName>,
  setting: StartupContext,
  mode: "tmux" | "process",
): MemberProcesses | undefined {
  const program = ownProgram()
  const env = Object.fromEntries(
    Object.entries(processEnvironment()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  if (program === undefined) return undefined
  const about: MemberProgram = {
    args: Object.fromEntries(flags.flatMap(({ name }) => (args.has(name) ? [[name, args.list(name)]] : []))),
    cwd: setting.cwd,
    trust: setting.known ? [...setting.known.keys()] : setting.declined ? "declined" : "as kept",
  }
  const launch = (file: string): Launch => ({ argv: [...program, "--member", file], cwd: setting.cwd, env })
  return {
    async start({ team, name, opening }) {
      const folder = join(dirname(teamFile(setting.state, team)), "members")
      if (mode === "tmux") return inPane(launch, { about: { ...about, env }, folder, team, name, opening })
      const errors = join(folder, `${name}.err`)
      const input = JSON.stringify({ ...about, seat: opening })
      const started = await startChild(launch("-"), { input, errors })
      if (!started.ok) return failed(`Its process could not be started: ${started.failure}.`)
      return ok({ pid: started.value, said: () => lastLine(errors) })
    },
  }
}

function inPane(
  launch: (file: string) => Launch,
  parts: {
    readonly about: MemberProgram
    readonly folder: string
    readonly team: string
    readonly name: string
    readonly opening: JsonObject
  },
): Awaited<ReturnType<MemberProcesses["start"]>> {
  const { about, folder, team, name, opening } = parts
  const file = join(folder, `${name}.json`)
  keepPrivately(file, JSON.stringify({ ...about, seat: opening }))
  const pane = {
    beside: about.env?.TMUX_PANE,
    session: `codewright-${team.replaceAll(/[.:]/g, "-")}`,
    title: `${name} (${team})`,
  }
  const started = startPane(launch(file), pane)
  if (!started.ok) return failed(`Its pane could not be opened: ${started.failure}. Set teammateMode to process.`)
  return ok({ pid: started.value.pid, said: () => undefined })
}

/** The same values as from a command line. */
export function argumentsOf({ args }: Pick<MemberProgram, "args">): Arguments<FlagName> {
  return {
    has: (name) => args[name] !== undefined,
    value: (name) => args[name]?.at(-1),
    list: (name) => args[name] ?? [],
    rest: [],
  }
}

function lastLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim().split("\n").at(-1) || undefined
  } catch {
    return undefined
  }
}
