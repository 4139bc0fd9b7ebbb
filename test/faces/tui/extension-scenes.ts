/** Scenes of the panels of servers, hooks, agents, skills and of what runs, with some text in them that means no good. */

import type { Answers } from "#session/port/query.ts"
import type { CommandDefinition } from "#agent/words/command.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import type { PanelPorts } from "#faces/tui/panels/ports.ts"
import { failed, ok } from "#lib/result.ts"
import type { PanelScene } from "./panel-scenes.ts"

/** What the paper's clock says at the beginning. */
const now = 1_000_000
const down = "\u001b[B"
const unwatched = () => () => {}

export const entryOf = (body: EntryBody, at: number = now): Entry => ({ uuid: "u", parentUuid: null, at, ...body })

const hookRun = (body: Partial<Entry & { kind: "hook" }>, ago: number): Entry & { kind: "hook" } => ({
  uuid: "u",
  parentUuid: null,
  at: now - ago,
  kind: "hook",
  event: "PreToolUse",
  matcher: "Bash",
  name: "scripts/check-command.sh",
  source: "user settings",
  exit: 0,
  ms: 41,
  ...body,
})

const agentEntries: readonly Entry[] = [
  entryOf({ kind: "turn_start", turnId: "t" }),
  entryOf({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "Find where leap years are refused." }] }),
  entryOf({
    kind: "reply",
    messageId: "m1",
    model: "m",
    block: { type: "tool_use", id: "c1", name: "Grep", input: { pattern: "isLeap" } },
    usage: noUsage,
  }),
  entryOf({ kind: "result", callId: "c1", tool: "Grep", content: "src/parse.ts:12", isError: false, durationMs: 8 }),
  entryOf({
    kind: "reply",
    messageId: "m2",
    model: "m",
    block: { type: "text", text: "It is in `src/parse.ts`:\n\n1. the table of months\n2. the check of the day" },
    usage: noUsage,
  }),
  entryOf({
    kind: "reply",
    messageId: "m2",
    model: "m",
    block: { type: "tool_use", id: "c2", name: "Bash", input: { command: "bun test test/parse.test.ts" } },
    usage: noUsage,
  }),
]

const skill = (name: string, more: Partial<CommandDefinition>): CommandDefinition => ({
  name,
  kind: "skill",
  source: "built-in",
  description: "",
  takes: "",
  argumentNames: [],
  allowedTools: [],
  disallowedTools: [],
  isForModel: true,
  isForPerson: true,
  body: "",
  problems: [],
  ...more,
})

type ServerState = Answers["servers"][number]

export const serverState = (more: Partial<ServerState>): ServerState => ({
  name: "github",
  source: "user",
  provenance: "user",
  kind: "stdio",
  status: "connecting",
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
  skills: [],
  ...more,
})

/** Of a size that is estimated at so many tokens, at least what name and description take. */
export function toolOf(name: string, description: string, tokens: number): ServerState["tools"][number] {
  const bare = JSON.stringify({ name, description, input_schema: { x: "" } }).length
  return { name, description, inputSchema: { x: "x".repeat(Math.max(0, 4 * tokens - bare)) } }
}

export const extensionPorts: Required<Pick<PanelPorts, "mcp" | "hooks" | "agents" | "tasks" | "skills">> = {
  mcp: {
    watch: unwatched,
    reconnect: async () => failed("the connection was closed"),
    enable: async () => ok(undefined),
    disable: async () => ok(undefined),
    disableHere: async () => ok(undefined),
    login: async () => ok(undefined),
    servers: async () => [
      serverState({
        name: "github",
        source: "user",
        kind: "stdio",
        status: "connected",
        readOnly: true,
        about: "GitHub MCP Server 1.4.0",
        tools: [
          toolOf("create_issue", "Create a new issue\nin a repository", 310),
          toolOf("search_code", "Search for \u001b[2Jcode across repositories", 1240),
          toolOf("a_tool_with_a_name_that_is_far_too_long_for_any_list", "Does much", 95),
        ],
        prompts: ["review", "summary"].map((name) => ({ name, arguments: [] })),
        resources: Array.from({ length: 12 }, (_, i) => ({ uri: `r${i}`, name: `r${i}` })),
      }),
      serverState({
        name: "database",
        source: "project",
        kind: "stdio",
        status: "failed",
        reason: "the connection was closed",
        stderrTail: "starting\n\u001b[31mcannot open /var/db: permission denied\u001b[0m\n",
      }),
      serverState({
        name: "tracker",
        source: "user",
        kind: "http",
        status: "needs_login",
        reason: "The server wants a login. Log in with: codewright mcp login tracker",
      }),
      serverState({ name: "slow", source: "local", kind: "stdio", status: "connecting" }),
      serverState({
        name: "new\u202eone",
        source: "project",
        kind: "stdio",
        status: "needs_approval",
        reason: "Nobody has said yes to it.",
      }),
      serverState({ name: "off", source: "user", kind: "sse", status: "disabled" }),
    ],
  },
  hooks: {
    overview: async () => ({
      configured: [
        {
          event: "PreToolUse",
          matcher: "Bash",
          name: "scripts/check-command.sh",
          work: {
            type: "command",
            command: "scripts/check-command.sh \u001b]0;title\u0007--strict",
            interpreter: "sh",
          },
          source: "user settings",
          file: "/home/ada/.codewright/settings.json",
          timeoutMs: 5_000,
          required: true,
        },
        {
          event: "Stop",
          matcher: "",
          name: "notify-send done",
          work: { type: "command", command: "notify-send done", interpreter: "sh" },
          source: "project settings",
          file: "/home/ada/project/.codewright/settings.json",
          timeoutMs: 60_000,
          required: false,
        },
        {
          event: "PreToolUse",
          matcher: "Write|Edit",
          name: "https://hooks.example.org/edit",
          work: { type: "http", url: "https://hooks.example.org/edit", headers: {}, variables: [] },
          source: "project settings",
          file: "/home/ada/project/.codewright/settings.json",
          timeoutMs: 60_000,
          required: false,
        },
      ],
      problems: [
        "/home/ada/.codewright/settings.json: hooks.PostTolUse is not a hook event; did you mean PostToolUse? It is left out.",
      ],
      runs: [
        hookRun({ decision: "deny", exit: 2 }, 7_200_000),
        hookRun({ exit: null, ms: 5_003, failure: "It took longer than 5 s and was ended." }, 600_000),
        hookRun({ event: "Stop", matcher: "", name: "notify-send done", source: "project settings", ms: 7 }, 60_000),
        hookRun({}, 1_000),
      ],
    }),
  },
  agents: {
    list: async () => [
      {
        agentType: "general-purpose",
        whenToUse: "Research and work of several steps.",
        systemPrompt: "You work alone.",
        source: "built-in",
      },
      {
        agentType: "reviewer",
        whenToUse: "Reads a change and says what is wrong with it.\nAsk it before every commit.",
        systemPrompt: "You review changes.\n\nBe short.",
        tools: ["Read", "Grep"],
        disallowedTools: ["Bash"],
        model: "haiku",
        onlyReads: true,
        maxTurns: 20,
        source: "project",
        path: "/home/ada/project/.codewright/agents/reviewer.md",
      },
    ],
  },
  skills: {
    list: async () => [
      skill("commit", { description: "Commit the current changes" }),
      skill("deploy", {
        kind: "command",
        source: "project",
        description: "Bring it to the servers",
        takes: "<where>",
        allowedTools: ["Bash(make deploy:*)"],
        isForModel: false,
        body: "Deploy to $1.\n\nThen look at the logs.",
        path: "/home/ada/project/.codewright/commands/deploy.md",
      }),
      skill("tidy", {
        source: "user",
        description: "Tidy the imports",
        problems: ["/home/ada/.codewright/skills/tidy/SKILL.md: its model is no text. It is left out."],
      }),
    ],
  },
  tasks: {
    watch: unwatched,
    stop: async () => ok(undefined),
    stopCommand: async () => ok(undefined),
    say: async () => ok(undefined),
    agent: async (agentId) => (agentId === "aaaaaaaa" ? agentEntries : null),
    commands: async () => [
      { id: "bash_1", command: "npm run dev", startedAt: now - 95_000 },
      {
        id: "bash_2",
        command: "npm test",
        startedAt: now - 300_000,
        end: { status: "failed", exitCode: 1, at: now - 240_000 },
      },
    ],
    output: async () => ({ text: "ready on \u001b[32m:3000\u001b[0m\n", isCut: false, bytes: 0 }),
    turn: async () => [
      entryOf({ kind: "turn_start", turnId: "t" }),
      entryOf({
        kind: "reply",
        messageId: "m",
        model: "m",
        block: { type: "tool_use", id: "c1", name: "Bash", input: { command: "make all" } },
        usage: noUsage,
      }),
      entryOf({ kind: "intent", callId: "c1", tool: "Bash", title: "Bash make all", files: [] }),
    ],
    agents: async () => [
      {
        fact: {
          agentId: "cccccccc",
          agentType: "Plan",
          description: "the order of work",
          callId: "c0",
          state: "ended",
          end: "lost",
        },
        usage: { tokens: 0, toolUses: 2, durationMs: 61_000 },
      },
      {
        fact: {
          agentId: "aaaaaaaa",
          agentType: "Explore",
          description: "leap years",
          callId: "c7",
          state: "started",
        },
        usage: { tokens: 12_400, toolUses: 2, durationMs: 41_000 },
        doing: "Bash bun test test/parse.test.ts",
        agents: [
          {
            fact: {
              agentId: "dddddddd",
              agentType: "reader",
              description: "the calendar rules",
              callId: "c9",
              state: "started",
              color: "blue",
            },
            usage: { tokens: 2_100, toolUses: 1, durationMs: 12_000 },
            doing: "Read calendar.ts",
          },
        ],
      },
      {
        fact: {
          agentId: "bbbbbbbb",
          agentType: "general-purpose",
          description: "a far too long description of what there is to be done in the documentation",
          callId: "c8",
          state: "background",
          worktree: { path: "/home/ada/.codewright/worktrees/bbbbbbbb", branch: "codewright/bbbbbbbb" },
        },
        usage: { tokens: 800, toolUses: 1, durationMs: 3_000 },
      },
    ],
  },
}

const panel = (command: string, ...keys: readonly string[]): PanelScene => ({
  options: { panels: extensionPorts },
  async play(paper) {
    await paper.type(`${command}\r`)
    await paper.pass(400)
    for (const key of keys) {
      await paper.type(key)
      await paper.pass(400)
    }
  },
})

export const extensionScenes: { readonly [name: string]: PanelScene } = {
  "panel of servers": panel("/mcp"),
  "panel of servers, one that is connected": panel("/mcp", "github", "\r"),
  "panel of servers, one that failed": panel("/mcp", "database", "\r", "r"),
  "panel of servers, one that needs a login": panel("/mcp", "tracker", "\r"),
  "panel of hooks": panel("/hooks"),
  "panel of hooks, one of them": panel("/hooks", "check", "\r"),
  "panel of hooks, the last runs": panel("/hooks", "recent runs", "\r"),
  "panel of agents": panel("/agents"),
  "panel of agents, one of them": panel("/agents", "\r"),
  "panel of skills": panel("/skills"),
  "panel of skills, one of them": panel("/skills", "deploy", "\r"),
  "panel of tasks": panel("/tasks"),
  "panel of tasks, empty": {
    ...panel("/tasks"),
    options: {
      panels: {
        ...extensionPorts,
        tasks: { ...extensionPorts.tasks, agents: async () => [], commands: async () => [], turn: async () => [] },
      },
    },
  },
  "panel of tasks, an agent at work": panel("/tasks", down, "\r"),
  "panel of tasks, an agent of which nothing is kept": panel("/tasks", `${down}${down}${down}`, "\r"),
  "panel of tasks, saying something to an agent": panel("/tasks", down, "\r", "t", "look at the tests"),
  "panel of tasks, a command": panel("/tasks", `${down}${down}${down}${down}`, "\r"),
  "panel of tasks, an agent of an agent": panel("/tasks", `${down}${down}`, "x"),
}
