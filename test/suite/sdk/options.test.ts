/** Every option that the SDK declares: it works, is refused by name, or has no effect, as the guide says; none hangs. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { createSdkMcpServer, type Options } from "claude-agent-sdk-0.3"
import { isNight } from "../../kit/runs.ts"
import { openTurns } from "../../kit/turns.ts"
import { heard, openWorld, resultOf, type Version, versions, type World } from "./drive.ts"

const root = resolve(import.meta.dir, "../../..")
const guide = readFileSync(join(root, "docs/guides/agent-sdk.md"), "utf8")

type Name = keyof Options
type Case = (world: World) => { readonly [name in Name]?: unknown }

const never = (): Promise<never> => Promise.reject(new Error("not asked"))

/** With each option, and what the SDK wants beside it. */
const cases: { readonly [name in Name]: Case } = {
  abortController: () => ({ abortController: new AbortController() }),
  additionalDirectories: ({ place }) => ({ additionalDirectories: [place.home] }),
  projectConfigRoot: ({ place }) => ({ projectConfigRoot: place.home }),
  agent: () => ({ agent: "helper", agents: { helper: { description: "Helps.", prompt: "You help." } } }),
  agents: () => ({ agents: { helper: { description: "Helps.", prompt: "You help." } } }),
  allowedTools: () => ({ allowedTools: ["Read"] }),
  canUseTool: () => ({ canUseTool: never }),
  continue: () => ({ continue: true }),
  cwd: ({ place }) => ({ cwd: place.work }),
  disallowedTools: () => ({ disallowedTools: ["Bash"] }),
  toolAliases: () => ({ toolAliases: { Bash: "mcp__own__bash" } }),
  tools: () => ({ tools: ["Read"] }),
  env: (world) => ({ env: world.options().env }),
  executable: () => ({ executable: "bun" }),
  executableArgs: () => ({ executableArgs: ["--smol"] }),
  extraArgs: () => ({ extraArgs: { debug: null } }),
  fallbackModel: () => ({ fallbackModel: "haiku" }),
  enableFileCheckpointing: () => ({ enableFileCheckpointing: true }),
  toolConfig: () => ({ toolConfig: { askUserQuestion: { previewFormat: "markdown" } } }),
  forkSession: () => ({ forkSession: true, continue: true }),
  betas: () => ({ betas: ["context-1m-2025-08-07"] }),
  hooks: () => ({ hooks: { Stop: [{ hooks: [async () => ({})] }] } }),
  onElicitation: () => ({ onElicitation: never }),
  onUserDialog: () => ({ onUserDialog: never }),
  supportedDialogKinds: () => ({ onUserDialog: never, supportedDialogKinds: ["refusal_fallback_prompt"] }),
  perTaskStopAffordance: () => ({ perTaskStopAffordance: true }),
  persistSession: () => ({ persistSession: false }),
  sessionStore: () => ({ sessionStore: { append: async () => {}, load: async () => null } }),
  sessionStoreFlush: () => ({
    sessionStoreFlush: "eager",
    sessionStore: { append: async () => {}, load: async () => null },
  }),
  loadTimeoutMs: () => ({ loadTimeoutMs: 5_000 }),
  includeHookEvents: () => ({ includeHookEvents: true }),
  includePartialMessages: () => ({ includePartialMessages: true }),
  forwardSubagentText: () => ({ forwardSubagentText: true }),
  verbatimPrompts: () => ({ verbatimPrompts: true }),
  thinking: () => ({ thinking: { type: "disabled" } }),
  effort: () => ({ effort: "low" }),
  maxThinkingTokens: () => ({ maxThinkingTokens: 2_000 }),
  maxTurns: () => ({ maxTurns: 3 }),
  maxBudgetUsd: () => ({ maxBudgetUsd: 1 }),
  taskBudget: () => ({ taskBudget: { total: 10_000 } }),
  mcpServers: () => ({ mcpServers: { own: createSdkMcpServer({ name: "own", tools: [] }) } }),
  model: () => ({ model: "opus" }),
  outputFormat: () => ({ outputFormat: { type: "json_schema", schema: { type: "object" } } }),
  pathToClaudeCodeExecutable: () => ({}),
  permissionMode: () => ({ permissionMode: "acceptEdits" }),
  planModeInstructions: () => ({ planModeInstructions: "Think first.", permissionMode: "plan" }),
  allowDangerouslySkipPermissions: () => ({ allowDangerouslySkipPermissions: true }),
  permissionPromptToolName: () => ({ permissionPromptToolName: "mcp__own__ask" }),
  permissionPrompts: () => ({ permissionPrompts: "none" }),
  plugins: ({ place }) => ({ plugins: [{ type: "local", path: place.home }] }),
  pluginDelivery: ({ place }) => ({ pluginDelivery: "initialize", plugins: [{ type: "local", path: place.home }] }),
  promptSuggestions: () => ({ promptSuggestions: true }),
  agentProgressSummaries: () => ({ agentProgressSummaries: true }),
  resume: () => ({ resume: "00000000-0000-4000-8000-000000000000" }),
  sessionId: () => ({ sessionId: crypto.randomUUID() }),
  resumeSessionAt: () => ({ resumeSessionAt: "00000000-0000-4000-8000-000000000000", continue: true }),
  resumeDropsTurn: () => ({
    resumeDropsTurn: "00000000-0000-4000-8000-000000000000",
    resumeSessionAt: "00000000-0000-4000-8000-000000000000",
    continue: true,
  }),
  sandbox: () => ({ sandbox: { enabled: false } }),
  settings: () => ({ settings: { cleanupPeriodDays: 30 } }),
  managedSettings: () => ({ managedSettings: { permissions: { deny: ["WebFetch"] } } }),
  settingSources: () => ({ settingSources: [] }),
  skills: () => ({ skills: "all" }),
  debug: () => ({ debug: true }),
  debugFile: ({ place }) => ({ debugFile: join(place.path, "debug.log") }),
  stderr: () => ({ stderr: () => {} }),
  strictMcpConfig: () => ({ strictMcpConfig: true }),
  systemPrompt: () => ({ systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." } }),
  title: () => ({ title: "A title" }),
  spawnClaudeCodeProcess: () => ({}),
}

/** What an option says that cannot be followed here. */
const refusals: { readonly [name in Name]?: string } = {
  // The program is no script, so it is given them itself.
  executableArgs: "unknown option '--smol'",
  projectConfigRoot: "--project-config-root is not supported",
  resume: "No conversation found",
  // The model of this test only says hello.
  outputFormat: "The model gave no output that fits the schema",
  resumeSessionAt: "00000000-0000-4000-8000-000000000000",
  resumeDropsTurn: "00000000-0000-4000-8000-000000000000",
}

/** What one of the versions does not pass on, or not in this way. */
const unsent: { readonly [version in Version]: readonly Name[] } = {
  "0.3": [],
  "0.2": ["projectConfigRoot"],
}

async function ended(names: readonly Name[], world: World): Promise<string> {
  const given = Object.assign({}, ...names.map((name) => cases[name](world))) as Options
  const told = await heard(world.query({ prompt: "hi", options: world.options(given) }))
  if (told.thrown !== undefined) return `refused: ${told.thrown} ${world.stderr()}`
  return String(resultOf(told)["result"])
}

/** Of these a query has at most one: they decide the same, each in its way. */
const rivals: readonly string[] = [
  "continue",
  "sessionId",
  "persistSession",
  "sessionStore",
  "enableFileCheckpointing",
  "canUseTool",
  "permissionPromptToolName",
  "permissionPrompts",
]
const company = 5

/** At night each by itself; by day in company, where no two need the same. */
function together(names: readonly Name[], world: World): readonly (readonly Name[])[] {
  if (isNight) return names.map((name) => [name])
  const groups: { readonly names: Name[]; readonly taken: Set<string> }[] = []
  for (const name of names) {
    const given = Object.keys(cases[name](world))
    const needs = given.some((key) => rivals.includes(key)) ? [...given, ...rivals] : given
    const open = groups.find(({ names: { length }, taken }) => length < company && !needs.some((key) => taken.has(key)))
    const group = open ?? { names: [], taken: new Set() }
    if (!open) groups.push(group)
    group.names.push(name)
    for (const key of needs) group.taken.add(key)
  }
  return groups.map((group) => group.names)
}

const turn = openTurns()
const tried = (Object.keys(cases) as Name[]).map((name) => ({
  name,
  // Where they differ, with both.
  versions: unsent["0.2"].includes(name) ? versions : turn(versions),
}))

for (const version of versions)
  test(`SDK ${version}: each option has its end`, async () => {
    await using world = await openWorld(version, { scenario: { replies: [{ content: "Hello.", times: "always" }] } })
    await heard(world.query({ prompt: "before", options: world.options() }))
    const refusalOf = (name: Name): string | undefined => (unsent[version].includes(name) ? undefined : refusals[name])
    const names = tried.filter((each) => each.versions.includes(version)).map(({ name }) => name)
    const refused = names.filter((name) => refusalOf(name) !== undefined)
    const followed = names.filter((name) => refusalOf(name) === undefined)
    for (const group of [...refused.map((name) => [name]), ...together(followed, world)])
      expect(`${group.join()}: ${await ended(group, world)}`).toContain(refusalOf(group[0] ?? "cwd") ?? "Hello.")
  })

test("the guide has a row for every option and every message that a version declares", () => {
  for (const version of ["0.3", "0.2"]) {
    const types = readFileSync(join(root, `node_modules/claude-agent-sdk-${version}/sdk.d.ts`), "utf8").replaceAll(
      "\r",
      "",
    )
    const options = /^export declare type Options = \{\n([^]*?)^\};/m.exec(types)?.[1] ?? ""
    const names = [...options.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = ""]) => name)
    expect(names.length).toBeGreaterThan(50)
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
    const union = /^export declare type SDKMessage = (.*);/m.exec(types)?.[1] ?? ""
    const messages = union.split(" | ")
    expect(messages.length).toBeGreaterThan(20)
    expect(messages.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
    const events = /^export declare const HOOK_EVENTS: readonly \[(.*)\];/m.exec(types)?.[1]?.match(/\w+/g) ?? []
    expect(events.length).toBeGreaterThan(20)
    expect(events.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  }
})
