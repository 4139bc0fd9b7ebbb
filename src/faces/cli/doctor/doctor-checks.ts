/** What the doctor looks at, one thing after the other. */

import { accessSync, constants, readdirSync, statfsSync } from "node:fs"
import { dirname, join } from "node:path"
import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import { unusedKeys } from "#ground/settings/unused.ts"
import { withCatalog } from "#ground/transcript/catalog.ts"
import { logsIn } from "#ground/transcript/catalog-update.ts"
import { inspectLog, isWhole } from "#ground/transcript/salvage.ts"
import { type HookConfiguration, readHooks } from "#kits/hooks/config.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import { systemClock } from "#lib/clock.ts"
import { linkStatsOf, statsOf } from "#lib/quietly.ts"
import { tilde } from "#lib/tilde.ts"
import { version } from "#lib/version.ts"
import { ruleProblem } from "#session/adapters/hook-ground.ts"
import { keptWorktrees } from "#faces/cli/team/agent-worktrees.ts"
import { findPlugins } from "#faces/cli/extensions/plugins.ts"
import { agentsSetting } from "#faces/cli/flags/agents-flag.ts"
import { mcpSetting } from "#faces/cli/extensions/mcp-servers.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type DoctorCheck, good, odd, wrong } from "./doctor-check.ts"
import { terminalCheck } from "./doctor-terminal.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { appearanceWarnings } from "#faces/cli/terminal/appearance-warnings.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import type { Where } from "#faces/cli/where.ts"

/** Reading logs takes about a second per 100 MB; the rest is skipped, with a note. */
const mostLogBytes = 1_000_000_000

export async function* checks(
  where: Where,
  options: {
    readonly logs: "of this folder" | "of all folders"
    /** As known to a running session; without one they are started to see. */
    readonly servers?: readonly McpServerState[]
  },
): AsyncGenerator<DoctorCheck> {
  yield good("program", `Codewright ${version} on Bun ${Bun.version}, ${process.platform} ${process.arch}`)
  yield stateCheck(where)
  yield* settingChecks()
  yield await ripgrepCheck(where)
  yield toolCheck("git", "git", "Changes cannot be compared with the repository.")
  yield await sandboxCheck()
  yield* await reachChecks(options.servers)
  yield await terminalCheck()
  yield* diskChecks(where)
  yield logCheck(where, options.logs)
  yield await catalogCheck(where)
  yield snapshotCheck(where)
  const kept = keptWorktrees(where.state)
  if (kept.length > 0)
    yield good("worktrees", `${kept.length} of agents, merge or remove them with git:\n  ${kept.join("\n  ")}`)
}

async function reachChecks(servers: readonly McpServerState[] | undefined): Promise<readonly DoctorCheck[]> {
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  if (!none.ok || !setting?.ok) return []
  const { modelCheck, providerChecks, serverChecks } = await import("./doctor-reach.ts")
  const { certificateChecks, clockChecks, proxyChecks, withTimes } = await import("./doctor-network.ts")
  const { setting: watched, times } = withTimes(setting.value, systemClock)
  return [
    ...(await proxyChecks(setting.value)),
    ...certificateChecks(setting.value, systemClock),
    await modelCheck(watched),
    ...(await providerChecks(watched)),
    ...clockChecks(times),
    ...(await serverChecks(none.value, setting.value, servers)),
  ]
}

/** Below this a turn may end because nothing more can be recorded. */
const leastFreeBytes = 500_000_000

function diskChecks({ state, cwd, home }: Where): readonly DoctorCheck[] {
  // Of a link to nowhere there is no disk.
  const places = [existingAbove(state), cwd].filter(statsOf)
  const disks = places.map((path) => statsOf(path)?.dev)
  // Two folders of one disk share what is free there.
  const free = places
    .filter((_, i) => disks.indexOf(disks[i]) === i)
    .map((path) => {
      const { bavail, bsize } = statfsSync(path)
      return { path, bytes: bavail * bsize }
    })
  const short = free.filter(({ bytes }) => bytes < leastFreeBytes)
  return short.length === 0
    ? [good("disk space", free.map(({ path, bytes }) => `${gigabytes(bytes)} free in ${tilde(path, home)}`).join(", "))]
    : short.map(({ path, bytes }) =>
        odd("disk space", `only ${megabytes(bytes)} free in ${tilde(path, home)}. Free some space.`),
      )
}

/** Confines a real command: an installed bubblewrap may still not work. */
async function sandboxCheck(): Promise<DoctorCheck> {
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  if (!setting?.ok) return odd("sandbox", "not checked, because the settings cannot be read")
  const { sandboxHere } = await import("#faces/cli/permissions/sandbox-here.ts")
  await using here = sandboxHere(setting.value, { canAsk: false })
  const check = await here.sandbox.check()
  const isOn = setting.value.loaded.settings.sandbox?.enabled === true
  if (check.works)
    return good(
      "sandbox",
      `a command ran in ${check.backend}; ${isOn ? "on" : "off, except for commands that only read"}`,
    )
  // Whoever has turned it on can run no command without it.
  return { ...(isOn ? wrong : odd)("sandbox", check.why), fix: check.fix }
}

function stateCheck({ state, home }: Where): DoctorCheck {
  const nearest = existingAbove(state)
  const stats = statsOf(nearest)
  if (!stats?.isDirectory())
    return wrong("state folder", `${nearest} is not a folder. Set CODEWRIGHT_HOME to a writable folder.`)
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK)
  } catch {
    return wrong("state folder", `${nearest} cannot be written. Set CODEWRIGHT_HOME to a writable folder.`)
  }
  if (nearest !== state) return good("state folder", `${tilde(state, home)} will be created when needed`)
  return (stats.mode & 0o077) === 0
    ? good("state folder", tilde(state, home))
    : odd("state folder", `${tilde(state, home)} can be read by other users. Run chmod 700 on the folder.`)
}

function existingAbove(path: string): string {
  return linkStatsOf(path) || dirname(path) === path ? path : existingAbove(dirname(path))
}

async function* settingChecks(): AsyncGenerator<DoctorCheck> {
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  if (!setting?.ok) {
    yield wrong("settings", setting?.failure.message ?? "cannot be read")
    return
  }
  const { warnings, loaded, trusted } = setting.value
  yield warnings.length === 0
    ? good("settings", trusted ? "no errors; this folder is trusted" : "no errors; this folder is not trusted")
    : odd("settings", warnings.join("\n  "))
  const appearanceFaults = appearanceWarnings(setting.value)
  if (appearanceFaults.length > 0) yield odd("settings", appearanceFaults.join("\n  "))
  const unused = unusedKeys(loaded)
  if (unused.length > 0) yield odd("settings", `not followed by this version: ${unused.join(", ")}`)
  const plugins = await findPlugins({ list: () => [] }, setting.value)
  if (plugins.overview) {
    const faults = [...plugins.warnings, ...plugins.notes]
    const names = plugins.all.map(({ name }) => name).join(", ")
    yield faults.length > 0 ? odd("plugins", faults.join("\n  ")) : good("plugins", `${names}: as they were installed`)
  }
  const servers = none.ok ? await mcpSetting(none.value, setting.value, plugins) : undefined
  const configured = servers?.ok ? (servers.value.choice?.servers ?? []) : []
  const agents = none.ok ? await agentsSetting(none.value, setting.value, configured, plugins) : undefined
  if (agents?.ok && agents.value.warnings.length > 0) yield odd("agents", agents.value.warnings.join("\n  "))
  const { problems } = parseRules(loaded.rules)
  const errors = problems.filter(({ level }) => level !== "warning")
  if (errors.length > 0) yield wrong("rules", errors.map(({ message }) => message).join("\n  "))
  else if (problems.length > 0) yield odd("rules", problems.map(({ message }) => message).join("\n  "))
  else yield good("rules", `${loaded.rules.length} ${loaded.rules.length === 1 ? "rule" : "rules"}, all understood`)
  if (loaded.hooks.length > 0) yield hooksCheck(readHooks(loaded.hooks, { ruleProblem }))
}

const hooksCheck = ({ hooks, problems }: HookConfiguration): DoctorCheck =>
  problems.length > 0
    ? odd("hooks", problems.join("\n  "))
    : good(
        "hooks",
        `${hooks.length} ${hooks.length === 1 ? "hook" : "hooks"}. Try them with: codewright hooks test <event>`,
      )

async function ripgrepCheck({ state }: Where): Promise<DoctorCheck> {
  try {
    const path = await ripgrepPath(join(state, "cache"))
    const said = firstLine(path)
    return said === undefined
      ? wrong("ripgrep", `${path} does not run, so files cannot be searched. Reinstall Codewright.`)
      : good("ripgrep", said)
  } catch (error) {
    return wrong("ripgrep", `could not be unpacked: ${String(error)}`)
  }
}

function toolCheck(program: string, name: string, without: string): DoctorCheck {
  const path = Bun.which(program)
  const said = path === null ? undefined : firstLine(path)
  return said === undefined ? odd(name, `${program} was not found. ${without}`) : good(name, said)
}

function firstLine(path: string): string | undefined {
  try {
    const { exitCode, stdout } = Bun.spawnSync([path, "--version"], {
      stdin: "ignore",
      stderr: "ignore",
      timeout: 5_000,
      env: { PATH: processEnvironment().PATH ?? "" },
    })
    return exitCode === 0 ? stdout.toString().split("\n", 1)[0] : undefined
  } catch {
    return undefined
  }
}

function logCheck({ projects, cwd }: Where, which: "of this folder" | "of all folders"): DoctorCheck {
  const folder = join(projects, projectSlug(cwd))
  const wanted = logsIn(projects).filter(({ path }) => which === "of all folders" || dirname(path) === folder)
  const damaged: string[] = []
  let read = 0
  let left = 0
  for (const { path, session } of wanted) {
    read += statsOf(path)?.size ?? 0
    if (read > mostLogBytes) {
      left++
      continue
    }
    const state = inspectLog(path)
    if (!state.ok && state.failure.kind === "unreadable") damaged.push(`${session}: ${state.failure.message}`)
    if (state.ok && !isWhole(state.value)) damaged.push(`${session}: codewright doctor --repair ${session}`)
  }
  const unread = left === 0 ? "" : `; ${left} were skipped because the logs are very large`
  return damaged.length === 0
    ? good("logs", `${wanted.length - left} ${which}, none damaged${unread}`)
    : odd("logs", [`${damaged.length} of ${wanted.length - left} are damaged${unread}:`, ...damaged].join("\n  "))
}

async function catalogCheck({ catalog: file, projects }: Where): Promise<DoctorCheck> {
  try {
    const count = await withCatalog(
      { file, projects },
      async (catalog) => (await catalog.list({ limit: 1_000_000 })).length,
    )
    return good("catalog", `${count} ${count === 1 ? "session" : "sessions"}, ${megabytes(sizeOf(file))}`)
  } catch (error) {
    return wrong("catalog", `cannot be used: ${String(error)}. Delete ${file}; Codewright creates the file again.`)
  }
}

function snapshotCheck({ state, home }: Where): DoctorCheck {
  const folder = join(state, "file-history")
  const bytes = folderSize(folder)
  return good("snapshots", bytes === undefined ? "none yet" : `${megabytes(bytes)} in ${tilde(folder, home)}`)
}

function folderSize(folder: string): number | undefined {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + sizeOf(join(entry.parentPath, entry.name)), 0)
  } catch {
    return undefined
  }
}

const sizeOf = (path: string): number => statsOf(path)?.size ?? 0
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
