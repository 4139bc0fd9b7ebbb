import { expect, test } from "bun:test"
import { answered, type AnyTool } from "#agent/words/tool.ts"
import { openPlanFiles } from "#ground/transcript/plan-files.ts"
import { openWeb } from "#ground/web/fetch.ts"
import { openWorkspace } from "#ground/workspace/workspace.ts"
import { systemPrompt } from "#kits/context/system.ts"
import { planKit } from "#kits/plan/kit.ts"
import { builtinAgents } from "#kits/subagents/builtins.ts"
import { openAgentLimits } from "#kits/subagents/agent-limits.ts"
import { subagentsKit } from "#kits/subagents/kit.ts"
import { todoTools } from "#kits/todo/tool.ts"
import { askUserTool } from "#kits/tools/ask-user.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import { webFetchTool } from "#kits/tools/web-fetch.ts"
import { webSearchTool } from "#kits/tools/web-search.ts"
import { systemClock as clock } from "#lib/clock.ts"
import { systemIds as ids } from "#lib/ids.ts"
import { failed, ok } from "#lib/result.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const workspace = openWorkspace({
  root: "/home/someone/projects/an-ordinary-name",
  home: "/home/someone",
  ripgrep: async () => "/usr/bin/rg",
  sessionFolder: "/nowhere",
  env: () => ({}),
  clock,
  ids,
  isAllowedFolder: () => true,
})
const provider = { address: "https://api.example", search: async () => ok({ hits: [] }) }
const webSearch = webSearchTool({ clock, provider })

const nothing = async () => answered("")

/** Every tool that a session offers by itself. */
const tools: readonly AnyTool[] = [
  ...(toolsKit({ workspace, clock, ids }).tools ?? []),
  ...(planKit({
    agent: { kind: "main" },
    mode: () => "default",
    record: () => {},
    ask: async () => ({ kind: "unanswered", why: "nobody is there" }),
    files: openPlanFiles({ ids }),
    folder: "/nowhere/plans",
    root: workspace.root,
    ids,
    modes: () => ["default"],
    canAsk: true,
    canGrant: true,
    agents: () => undefined,
    enforce: "off",
  }).tools ?? []),
  ...todoTools({ todos: () => [], takeEdit: () => undefined, keep: () => {} }),
  askUserTool({ ask: async () => ({ kind: "unanswered", why: "nobody is there" }) }),
  webFetchTool({
    web: openWeb({ network: directNetwork(), clock, allowsPrivate: () => false }),
    clock,
    ask: async () => ok(""),
  }),
  ...(webSearch ? [webSearch] : []),
  ...(subagentsKit({
    agents: builtinAgents(),
    commands: { has: () => false, output: nothing, stop: nothing },
    agentLimits: openAgentLimits(),
    spawn: async () => failed("nobody is there"),
    pathOf: () => undefined,
    noWorktree: () => undefined,
    entriesOf: () => undefined,
    agentsOf: () => [],
    record: () => {},
    publish: () => {},
    clock,
    ids,
  }).tools ?? []),
]

const tokensOf = ({ name, description, schema }: AnyTool): number =>
  estimateTokens(JSON.stringify({ name, description, input_schema: schema }))

const system = systemPrompt({
  asks: "nobody",
  tools: tools.map(({ name }) => name),
  environment: {
    cwd: workspace.root,
    isGit: true,
    platform: "linux",
    shellName: "bash",
    osVersion: "Linux 6.12.0-generic",
    date: "2026-11-15",
    model: "claude-some-model-4-5-20250929",
  },
})

test("system prompt, descriptions and schemas together stay under 7,000 tokens", () => {
  const shares = [
    ["system prompt", estimateTokens(system.map(({ text }) => text).join("\n\n"))] as const,
    ...tools.map((tool) => [tool.name, tokensOf(tool)] as const),
  ]
  const total = shares.reduce((sum, [, tokens]) => sum + tokens, 0)
  const table = [...shares, ["all", total] as const].map(
    ([name, tokens]) =>
      `${name.padEnd(16)} ${String(tokens).padStart(5)} ${`${((100 * tokens) / total).toFixed(1)}%`.padStart(6)}`,
  )
  process.stdout.write(`${table.join("\n")}\n`)
  expect(total).toBeLessThan(7000)
})

test("the rarer file tools cost little", () => {
  const rarer = tools.filter(({ name }) => ["MultiEdit", "LS", "NotebookRead", "NotebookEdit"].includes(name))
  expect(rarer.length).toBe(4)
  expect(rarer.reduce((sum, tool) => sum + tokensOf(tool), 0)).toBeLessThan(650)
})
