/** The setting `statusLine`: a command that gets the ecosystem's JSON and prints what stands below the prompt. */

import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StatusLineFacts, StatusLinePort } from "#faces/tui/status-line.ts"
import { hookProgram } from "#ground/hooks/program.ts"
import type { Models } from "#ground/models/router.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { openProcesses, type Processes } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { allTokens } from "#agent/words/model.ts"
import { version } from "#lib/version.ts"
import { openHookFeed } from "#session/adapters/hook-feed.ts"
import { hookEnvironment } from "#session/adapters/hook-ground.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { SessionPort } from "#session/port/session.ts"
import { sandboxHere } from "#faces/cli/permissions/sandbox-here.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

const timeoutMs = 5_000
const mostBytes = 20_000

export interface StatusLineParts {
  readonly setting: StartupContext
  readonly models: Models
  readonly session: SessionPort & { readonly id: string }
  readonly about: SessionAbout
}

export interface OpenStatusLine extends StatusLinePort {
  readonly close: () => Promise<void>
}

export interface WantedStatusLine {
  readonly command: string
  readonly padding?: number
  /** Variables for a command that came with a plugin. */
  readonly env?: Readonly<Record<string, string>>
}

/** Undefined if the setting has no command. */
export function configuredStatusLine({ loaded }: Pick<StartupContext, "loaded">): WantedStatusLine | undefined {
  const wanted = loaded.settings.statusLine
  if (wanted === undefined || wanted.type !== "command" || wanted.command.trim() === "") return undefined
  return { command: wanted.command, ...(typeof wanted["padding"] === "number" && { padding: wanted["padding"] }) }
}

export function statusLineOf(parts: StatusLineParts, wanted: WantedStatusLine): OpenStatusLine {
  const { setting } = parts
  const begun = systemClock.now()
  const padding = Math.min(20, Math.max(0, Math.round(wanted.padding ?? 0)))
  let opened: Ground | undefined
  return {
    padding,
    async draw(facts, signal) {
      opened ??= openGround(setting)
      return run(wanted, await inputOf(parts, facts, begun), { ...parts, ground: opened, signal })
    },
    close: async () => opened?.close(),
  }
}

interface Ground {
  readonly processes: Processes
  readonly here: ReturnType<typeof sandboxHere> | undefined
  readonly close: () => Promise<void>
}

/** Like hooks: in a process group of its own, and in the sandbox if hooks are. */
function openGround(setting: StartupContext): Ground {
  const here = setting.loaded.settings.sandbox?.hooks ? sandboxHere(setting, { canAsk: false }) : undefined
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: join(tmpdir(), `codewright-${systemIds.uuid()}`),
    graceMs: 1_000,
    drainMs: 200,
  })
  return {
    processes,
    here,
    async close() {
      await processes.close()
      await here?.[Symbol.asyncDispose]()
    },
  }
}

async function run(
  { command, env: more }: WantedStatusLine,
  input: JsonObject,
  { setting, session, ground, signal }: StatusLineParts & { readonly ground: Ground; readonly signal: AbortSignal },
): Promise<Result<string, string>> {
  const { cwd, loaded, environment } = setting
  const env = {
    ...childEnvironment(loaded.env),
    ...hookEnvironment({ root: cwd, sessionId: session.id, entrypoint: environment.entrypoint, pid: process.pid }),
    ...more,
  }
  const program = hookProgram({ command, interpreter: "sh" }, { cwd, env })
  if (!program.ok) return program
  const feed = openHookFeed({
    feed: ground.processes.feed,
    enclose: ground.here?.encloseProgram,
    ids: systemIds,
    needed: { reads: [], writes: [] },
  })
  const fed = await feed({
    ...program.value,
    cwd,
    env,
    input: `${JSON.stringify(input)}\n`,
    timeoutMs,
    signal,
    mostBytes,
  })
  if (!fed.ok) return failed(`could not be started (${fed.failure.kind})`)
  const { end, exitCode, stdout, stderr, failure } = await fed.value.ended
  if (failure) return failed("did not run, because the sandbox does not work")
  if (end === "timed_out") return failed(`did not finish within ${timeoutMs / 1000} s`)
  if (exitCode !== 0) {
    const [line = ""] = new TextDecoder().decode(stderr).trim().split("\n")
    return failed(`exited with code ${exitCode ?? "none"}${line === "" ? "" : `: ${line.slice(0, 200)}`}`)
  }
  return ok(new TextDecoder().decode(stdout))
}

/** The shape that status line commands of the ecosystem read. */
async function inputOf(
  { setting, models, session, about }: StatusLineParts,
  { status, totals }: StatusLineFacts,
  begun: number,
): Promise<JsonObject> {
  const { model, mode, cwd, costUsd, contextTokens, spending } = status.session
  const { addedFolders } = await session.ask({ type: "about" })
  const styles = await session.ask({ type: "styles" })
  // After a compaction, the last answer no longer says how large the conversation is.
  const usage = totals.usage && allTokens(totals.usage) === contextTokens ? totals.usage : undefined
  const used = status.window === 0 ? 0 : Math.round((contextTokens / status.window) * 100)
  return {
    hook_event_name: "Status",
    session_id: session.id,
    transcript_path: about.logPath ?? "",
    cwd,
    model: { id: model, display_name: displayName(model) },
    workspace: { current_dir: cwd, project_dir: setting.cwd, added_dirs: [...addedFolders] },
    version,
    output_style: { name: styles.chosen },
    permission_mode: mode,
    cost: {
      total_cost_usd: costUsd,
      total_duration_ms: systemClock.now() - begun,
      total_api_duration_ms: totals.apiMs,
      total_lines_added: totals.linesAdded,
      total_lines_removed: totals.linesRemoved,
    },
    context_window: {
      context_window_size: status.window,
      total_input_tokens: contextTokens - (usage?.output_tokens ?? 0),
      total_output_tokens: Object.values(spending).reduce((sum, spent) => sum + spent.usage.output_tokens, 0),
      current_usage: usage ? { ...usage } : null,
      used_percentage: used,
      remaining_percentage: Math.max(0, 100 - used),
    },
    exceeds_200k_tokens: contextTokens > 200_000,
    ...(status.branch !== undefined && { git: { branch: status.branch } }),
    provider: models.factsOf(model).provider,
  }
}

/** `claude-opus-5-5` becomes Opus 5.5. */
function displayName(model: string): string {
  const [, family, number] = /^(?:anthropic\/)?claude-([a-z]+)-([\d-]+?)(?:-\d{8})?$/.exec(model) ?? []
  if (family === undefined || number === undefined) return model
  return `${family.charAt(0).toUpperCase()}${family.slice(1)} ${number.replaceAll("-", ".")}`
}
