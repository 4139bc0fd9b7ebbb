/** Runs the hooks of one event with a pretended input, out of any session. */

import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { touchesNothing } from "#agent/words/footprint.ts"
import { hookProgram } from "#ground/hooks/program.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { openPaths, realPath } from "#ground/workspace/paths.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { removeFolder } from "#ground/workspace/remove-folder.ts"
import type { HookConfiguration } from "#kits/hooks/config.ts"
import { type Fired, openDispatcher } from "#kits/hooks/dispatch.ts"
import { factsOf, type HookEvent, type HookMoment, toolMoment } from "#kits/hooks/moments.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"
import { openHookFeed } from "#session/adapters/hook-feed.ts"
import { hookEnvironment, openHookPost, openRuleJudge } from "#session/adapters/hook-ground.ts"
import { caseFootprint } from "#kits/permissions/case-footprint.ts"
import { sandboxHere } from "#faces/cli/permissions/sandbox-here.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface Pretended {
  readonly event: HookEvent
  readonly tool: string
  readonly input: JsonObject
}

export interface Trying {
  readonly setting: StartupContext
  readonly configuration: HookConfiguration
  readonly warn: (line: string) => void
}

export async function tryHooks(
  { setting, configuration, warn }: Trying,
  about: Pretended,
): Promise<Result<Fired, string>> {
  const { cwd, home, loaded, environment, network } = setting
  const moment = momentOf(about, setting)
  if (!moment.ok) return moment
  const made = makeTemporaryFolder("codewright-hooks-")
  if (!made.ok) return made
  const scratch = made.value
  const envFile = join(scratch, "env")
  writeFileSync(envFile, "", { mode: 0o600 })
  await using here = loaded.settings.sandbox?.hooks ? sandboxHere(setting, { canAsk: false }) : undefined
  const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 1000, drainMs: 100 })
  const session = new AbortController()
  const env = {
    ...childEnvironment(loaded.env),
    ...hookEnvironment({
      root: cwd,
      sessionId: pretendedId,
      entrypoint: environment.entrypoint,
      pid: process.pid,
      envFile,
    }),
  }
  const dispatcher = openDispatcher({
    recall: () => undefined,
    hooks: () => configuration.hooks,
    cwd: () => cwd,
    env: () => env,
    program: hookProgram,
    feed: openHookFeed({
      feed: processes.feed,
      enclose: here?.encloseProgram,
      ids: systemIds,
      needed: { reads: [], writes: [envFile] },
    }),
    post: openHookPost({ clock: systemClock, rules: parseRules(loaded.rules).rules, network }),
    isAbout: openRuleJudge({
      workspace: { root: cwd, added: loaded.additionalDirectories, home, protectedPaths: [], own: [] },
      cwd: () => cwd,
    }),
    common: (event) => ({
      session_id: pretendedId,
      transcript_path: "",
      cwd,
      ...(factsOf(event).mode && { permission_mode: loaded.settings.permissions.defaultMode }),
    }),
    record: (body) => (body.kind === "notice" ? warn(body.text) : undefined),
    onLateAnswer: () => {},
    clock: systemClock,
    session: session.signal,
  })
  try {
    const fired = await dispatcher.fire(moment.value, new AbortController().signal)
    await dispatcher.settled()
    return ok(fired)
  } finally {
    await processes.close()
    removeFolder(scratch)
  }
}

const pretendedId = "00000000-0000-4000-8000-000000000000"

function momentOf({ event, tool, input: said }: Pretended, { cwd, home }: StartupContext): Result<HookMoment, string> {
  if (factsOf(event).matches !== "tool") {
    const fields = { ...pretended[event], ...said }
    const subject = subjectIn(event, fields)
    return ok({ event, fields, ...(subject !== undefined && { subjects: [subject] }) })
  }
  const isSaid = Object.keys(said).length > 0
  const input: JsonObject = isSaid || tool !== "Bash" ? said : { command: "echo sample" }
  const footprint =
    !isSaid && tool !== "Bash"
      ? ok(touchesNothing())
      : caseFootprint(tool, input, { paths: openPaths({ cwd: () => cwd, home }), cwd: realPath(cwd) })
  if (!footprint.ok) return footprint
  const call = { callId: "toolu_pretended", tool: { name: tool }, input, footprint: footprint.value }
  return ok(toolMoment(event, call, pretended[event]))
}

const pretended: { readonly [event in HookEvent]?: JsonObject } = {
  PostToolUse: { tool_response: "A sample result.", duration_ms: 1 },
  PostToolUseFailure: { error: "A sample error.", is_interrupt: false, duration_ms: 1 },
  PermissionRequest: { permission_suggestions: [] },
  PermissionDenied: { reason: "A sample refusal." },
  PostToolBatch: { tool_calls: [] },
  UserPromptSubmit: { prompt: "A sample prompt.", source: "user" },
  UserPromptExpansion: {
    expansion_type: "slash_command",
    command_name: "sample",
    command_args: "",
    prompt: "/sample",
  },
  Stop: { stop_hook_active: false, last_assistant_message: "A sample answer." },
  StopFailure: { error: "server", error_details: "A sample error." },
  SubagentStart: { agent_id: "pretended", agent_type: "general-purpose" },
  SubagentStop: { agent_id: "pretended", agent_type: "general-purpose", stop_hook_active: false },
  PreCompact: { trigger: "manual", custom_instructions: "" },
  PostCompact: { trigger: "manual", compact_summary: "A sample summary." },
  Setup: { trigger: "init" },
  SessionStart: { source: "startup" },
  SessionEnd: { reason: "other" },
  Notification: { message: "A sample question is waiting.", notification_type: "permission_prompt" },
  InstructionsLoaded: { file_path: "AGENTS.md", memory_type: "Project", load_reason: "session_start" },
  FileChanged: { file_path: "/sample/src/app.ts", event: "change" },
  DirectoryAdded: { directory: "/sample", source: "slash_command" },
  Elicitation: { mcp_server_name: "sample", message: "A sample question?", mode: "form" },
  ElicitationResult: { mcp_server_name: "sample", action: "accept", mode: "form" },
}

const subjects: { readonly [event in HookEvent]?: string } = {
  StopFailure: "error",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  PreCompact: "trigger",
  PostCompact: "trigger",
  Setup: "trigger",
  SessionStart: "source",
  UserPromptExpansion: "command_name",
  Elicitation: "mcp_server_name",
  ElicitationResult: "mcp_server_name",
  SessionEnd: "reason",
  Notification: "notification_type",
  InstructionsLoaded: "load_reason",
  FileChanged: "file_path",
}

function subjectIn(event: HookEvent, fields: JsonObject): string | undefined {
  const value = fields[subjects[event] ?? ""]
  if (typeof value !== "string") return undefined
  return event === "FileChanged" ? basename(value) : value
}
