/** Every kind of thing that a folder's files can bring: nothing of it before trust, all of it with trust, none of it once it is another. */

import type { JsonValue } from "#lib/json.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { calls, read, says, use } from "../../kit/script.ts"
import { type Files, hooks, mark, program, type Row, servers } from "./play.ts"

/** A kind: its file as it was trusted, as it is later, and what is seen of it. */
interface Kind extends Pick<Row, "wants" | "replies" | "argv"> {
  readonly name: string
  readonly first: Files
  readonly later: Files
  /** What the person is shown of the first, and of what it does. */
  readonly shows: readonly string[]
  readonly ran?: readonly string[]
  readonly heard?: readonly string[]
  readonly told?: readonly string[]
  /** By what name it is said to be left out, before trust and after the change. */
  readonly key?: string
  readonly laterKey?: string
}

const settings = ".claude/settings.json"
const ours = ".codewright/settings.json"
const skill = (head: string): string => `---\nname: s\ndescription: d\n${head}\n---\nDo it.\n`
const agent = (tools: string): string => `---\nname: helper\ndescription: OWN-HELPER\ntools: ${tools}\n---\nYou help.\n`
const own = (field: string, value: JsonValue): string =>
  `---\nname: helper\ndescription: OWN-HELPER\n${field}: ${JSON.stringify(value)}\n---\nYou help.\n`
const help: ScenarioReply[] = [
  calls(use("Task", { description: "d", prompt: "go", subagent_type: "helper" })),
  says("Helped."),
  says("Done."),
]
const http = (more: { readonly [key: string]: JsonValue } = {}): JsonValue => ({
  type: "http",
  url: "NET/hook",
  ...more,
})

const kinds: readonly Kind[] = [
  {
    name: "a hook",
    first: { [settings]: hooks("SessionStart", mark("one")) },
    later: { [settings]: hooks("SessionStart", mark("two")) },
    shows: ["hook SessionStart: touch MARKS/one"],
    ran: ["one"],
    key: "hooks",
  },
  {
    name: "a hook with arguments",
    first: { [ours]: hooks("SessionStart", { type: "command", command: "touch", args: ["MARKS/one"] }) },
    later: { [ours]: hooks("SessionStart", { type: "command", command: "touch", args: ["MARKS/two"] }) },
    shows: ["hook SessionStart: touch MARKS/one"],
    ran: ["one"],
    key: "hooks",
  },
  {
    name: "a hook that posts, behind a command that is none",
    first: { [settings]: hooks("SessionStart", http({ command: "true" })) },
    later: { [settings]: hooks("SessionStart", http({ command: "true", url: "NET/other" })) },
    shows: ["hook SessionStart: NET/hook", "command: true"],
    heard: ["hook"],
    key: "hooks",
  },
  {
    name: "a hook for some tools, which later is for all",
    first: {
      [settings]: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: mark("pre") }] }] } },
    },
    later: {
      [settings]: { hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: mark("pre") }] }] } },
    },
    shows: ["hook PreToolUse on Bash: touch MARKS/pre"],
    wants: "ls",
    ran: ["pre"],
    key: "hooks",
  },
  {
    name: "an allow rule",
    first: { [settings]: { permissions: { allow: ["Bash(touch MARKS/ruled)"] } } },
    later: { [settings]: { permissions: { allow: ["Bash(touch:*)"] } } },
    shows: ["allow rule: Bash(touch MARKS/ruled)"],
    wants: mark("ruled"),
    ran: ["ruled"],
    key: "permissions.allow",
  },
  {
    name: "an allow rule in local settings",
    first: { ".claude/settings.local.json": { permissions: { allow: ["Bash(touch MARKS/ruled)"] } } },
    later: { ".claude/settings.local.json": { permissions: { allow: ["Bash"] } } },
    shows: ["allow rule: Bash(touch MARKS/ruled)"],
    wants: mark("ruled"),
    ran: ["ruled"],
    key: "permissions.allow",
  },
  {
    name: "an added folder",
    first: { [settings]: { permissions: { additionalDirectories: ["../outside"] } } },
    later: { [settings]: { permissions: { additionalDirectories: [".."] } } },
    shows: ["added folder: ../outside"],
    replies: [calls(read("../outside/secret.txt")), says("Done.")],
    told: ["OUTSIDE-TEXT"],
    key: "permissions.additionalDirectories",
  },
  {
    name: "a variable",
    first: { [settings]: { env: { GREETING: "hello" } } },
    later: { [settings]: { env: { GREETING: "goodbye" } } },
    shows: ["variable GREETING: hello"],
    argv: ["-p", "go", "--allowedTools=Bash"],
    wants: 'if [ -n "$GREETING" ]; then touch MARKS/greeted; fi',
    ran: ["greeted"],
    key: "env.GREETING",
  },
  {
    name: "a server that is a program",
    first: { ".mcp.json": servers({ a: program("one") }) },
    later: { ".mcp.json": servers({ a: program("two") }) },
    shows: ["MCP server a: sh -c 'touch MARKS/one'"],
    ran: ["one"],
    key: "mcpServers.a",
  },
  {
    name: "a server's variables",
    first: {
      ".mcp.json": servers({ a: { command: "sh", args: ["-c", "touch MARKS/$WHICH"], env: { WHICH: "one" } } }),
    },
    later: {
      ".mcp.json": servers({ a: { command: "sh", args: ["-c", "touch MARKS/$WHICH"], env: { WHICH: "two" } } }),
    },
    shows: ["MCP server a: sh -c 'touch MARKS/$WHICH'", "variable WHICH=one"],
    ran: ["one"],
    key: "mcpServers.a",
  },
  {
    name: "a server that is an address",
    first: { ".mcp.json": servers({ far: { type: "http", url: "NET/far", headers: { "X-A": "b" } } }) },
    later: { ".mcp.json": servers({ far: { type: "http", url: "NET/else", headers: { "X-A": "b" } } }) },
    shows: ["MCP server far: NET/far", "header X-A: b"],
    heard: ["far"],
    key: "mcpServers.far",
  },
  {
    name: "a helper for headers",
    first: {
      ".mcp.json": servers({ far: { type: "http", url: "NET/far", headersHelper: `${mark("helped")}; echo '{}'` } }),
    },
    later: {
      ".mcp.json": servers({ far: { type: "http", url: "NET/far", headersHelper: `${mark("worse")}; echo '{}'` } }),
    },
    shows: ["MCP server far: NET/far", "headersHelper: touch MARKS/helped; echo '{}'"],
    ran: ["helped"],
    heard: ["far"],
    key: "mcpServers.far",
  },
  {
    name: "what a command allows",
    first: { ".claude/commands/go.md": "---\nallowed-tools: Bash(touch MARKS/made)\n---\nDo it.\n" },
    later: { ".claude/commands/go.md": "---\nallowed-tools: Bash\n---\nDo it.\n" },
    shows: ["command go: allows Bash(touch MARKS/made)"],
    argv: ["-p", "/go"],
    wants: mark("made"),
    ran: ["made"],
    laterKey: "/go is new or has changed since you trusted this folder",
  },
  {
    name: "what a command runs",
    first: { ".claude/commands/go.md": `---\nallowed-tools: Bash(touch:*)\n---\n!\`${mark("first")}\`\n` },
    later: { ".claude/commands/go.md": `---\nallowed-tools: Bash(touch:*)\n---\n!\`${mark("second")}\`\n` },
    shows: ["command go: allows Bash(touch:*)", "runs touch MARKS/first"],
    argv: ["-p", "/go"],
    ran: ["first"],
    laterKey: "/go is new or has changed since you trusted this folder",
  },
  {
    name: "the hooks of a command",
    first: {
      ".claude/commands/go.md": `---\nhooks: {"Stop": [{"type": "command", "command": "${mark("first")}"}]}\n---\nDo it.\n`,
    },
    later: {
      ".claude/commands/go.md": `---\nhooks: {"Stop": [{"type": "command", "command": "${mark("second")}"}]}\n---\nDo it.\n`,
    },
    shows: ["command go: hook Stop runs touch MARKS/first"],
    argv: ["-p", "/go"],
    ran: ["first"],
    laterKey: "/go is new or has changed since you trusted this folder",
  },
  {
    name: "what a skill allows",
    first: { ".claude/skills/s/SKILL.md": skill("allowed-tools: Bash(touch MARKS/made)") },
    later: { ".claude/skills/s/SKILL.md": skill("allowed-tools: Bash") },
    shows: ["skill s: allows Bash(touch MARKS/made)"],
    argv: ["-p", "go", "--allowedTools=Skill"],
    replies: [calls(use("Skill", { skill: "s" })), calls(use("Bash", { command: mark("made") })), says("Done.")],
    ran: ["made"],
  },
  {
    name: "the tools of an agent",
    first: { ".claude/agents/helper.md": agent("Read") },
    later: { ".claude/agents/helper.md": agent("Read, Bash") },
    shows: ["agent helper: uses Read"],
    told: ["OWN-HELPER"],
    laterKey: "what it uses or runs is new or changed since you trusted this folder",
  },
  {
    name: "the servers that an agent names",
    first: { ".claude/agents/helper.md": agent("Read\nmcpServers: [a]") },
    later: { ".claude/agents/helper.md": agent("Read\nmcpServers: [a, b]") },
    shows: ["agent helper: uses Read, MCP server a"],
    told: ["OWN-HELPER"],
    laterKey: "what it uses or runs is new or changed since you trusted this folder",
  },
  {
    name: "a hook of an agent",
    first: { ".claude/agents/helper.md": own("hooks", hooks("Stop", mark("one")).hooks ?? null) },
    later: { ".claude/agents/helper.md": own("hooks", hooks("Stop", mark("two")).hooks ?? null) },
    shows: [".claude/agents/helper.md", "hook Stop: touch MARKS/one"],
    replies: help,
    ran: ["one"],
    told: ["OWN-HELPER"],
    laterKey: "what it uses or runs is new or changed since you trusted this folder",
  },
  {
    name: "a server of an agent",
    first: { ".claude/agents/helper.md": own("mcpServers", [{ tickets: program("one") }]) },
    later: { ".claude/agents/helper.md": own("mcpServers", [{ tickets: program("two") }]) },
    shows: [".claude/agents/helper.md", "MCP server tickets: sh -c 'touch MARKS/one'"],
    replies: help,
    ran: ["one"],
    told: ["OWN-HELPER"],
    laterKey: "what it uses or runs is new or changed since you trusted this folder",
  },
]

/** Each kind three times. */
export const rows: readonly Row[] = kinds.flatMap((kind): readonly Row[] => {
  const { name, first, later, shows, ran = [], heard = [], told = [], key, laterKey, ...rest } = kind
  const left = (words: string): readonly string[] => (key === undefined ? [] : [words, key])
  return [
    {
      name: `${name}: nothing of it before trust`,
      files: first,
      ...rest,
      untold: told,
      says: left("This folder is not trusted, so these settings were left out"),
    },
    { name: `${name}: shown whole, and counts with trust`, trusted: first, shows, ...rest, ran, heard, told },
    {
      name: `${name}: does not count once it is another`,
      trusted: first,
      files: later,
      ...rest,
      untold: told,
      says: laterKey === undefined ? left("New or changed since you trusted this folder, so left out") : [laterKey],
    },
  ]
})
