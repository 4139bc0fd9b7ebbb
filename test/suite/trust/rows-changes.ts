/** What counts of a trusted folder in which something is added, removed, moved or only written differently. */

import { hooks, mark, program, type Row, servers } from "./play.ts"

const settings = ".claude/settings.json"
const left = "New or changed since you trusted this folder, so left out"
const start = (...commands: readonly string[]) => hooks("SessionStart", ...commands)

export const rows: readonly Row[] = [
  {
    name: "a hook is added: the one that was trusted runs, the new one does not",
    trusted: { [settings]: start(mark("old")) },
    files: { [settings]: start(mark("old"), mark("new")) },
    ran: ["old"],
    says: [`${left}: hooks (.claude/settings.json)`],
  },
  {
    name: "a rule is added: the one that was trusted counts, the new one does not",
    trusted: { [settings]: { permissions: { allow: ["Bash(touch MARKS/old)"] } } },
    files: { [settings]: { permissions: { allow: ["Bash(touch MARKS/old)", "Bash(touch MARKS/new)"] } } },
    wants: mark("new"),
    says: [`${left}: permissions.allow`],
  },
  {
    name: "beside a rule that was added, the one that was trusted counts",
    trusted: { [settings]: { permissions: { allow: ["Bash(touch MARKS/old)"] } } },
    files: { [settings]: { permissions: { allow: ["Bash(touch MARKS/old)", "Bash(touch MARKS/new)"] } } },
    wants: mark("old"),
    ran: ["old"],
    says: [`${left}: permissions.allow`],
  },
  {
    name: "a server is added: the one that was trusted starts, the new one does not",
    trusted: { ".mcp.json": servers({ a: program("a") }) },
    files: { ".mcp.json": servers({ a: program("a"), b: program("b") }) },
    ran: ["a"],
    says: [`${left}: mcpServers.b (.mcp.json)`],
  },
  {
    name: "another settings file appears",
    trusted: { [settings]: start(mark("old")) },
    files: { ".codewright/settings.local.json": start(mark("new")) },
    ran: ["old"],
    says: [`${left}: hooks (.codewright/settings.local.json)`],
  },
  {
    name: "what was trusted in one file does not count in another",
    trusted: { [settings]: { permissions: { allow: ["Bash(touch MARKS/x)"] } } },
    files: { ".codewright/settings.json": { permissions: { allow: ["Bash(touch MARKS/x)"] } } },
    gone: [settings],
    wants: mark("x"),
    says: [`${left}: permissions.allow (.codewright/settings.json)`],
  },
  {
    name: "a hook moves to another moment",
    trusted: { [settings]: hooks("SessionEnd", mark("x")) },
    files: { [settings]: hooks("SessionStart", mark("x")) },
    says: [left],
  },
  {
    name: "a hook turns from a program into an address",
    trusted: { [settings]: hooks("SessionStart", { type: "command", command: mark("x"), url: "NET/hook" }) },
    shows: ["hook SessionStart: touch MARKS/x", "url: NET/hook"],
    files: { [settings]: hooks("SessionStart", { type: "http", command: mark("x"), url: "NET/hook" }) },
    says: [left],
  },
  {
    name: "a server turns from an address into a program",
    trusted: { ".mcp.json": servers({ a: { type: "http", url: "NET/far", command: "sh", args: ["-c", mark("x")] } }) },
    shows: ["MCP server a: NET/far", "command: sh"],
    files: { ".mcp.json": servers({ a: { type: "stdio", url: "NET/far", command: "sh", args: ["-c", mark("x")] } }) },
    says: [left],
  },
  {
    name: "something is removed: the rest goes on, and nothing is said",
    trusted: { [settings]: start(mark("a"), mark("b")) },
    files: { [settings]: start(mark("b")) },
    ran: ["b"],
    silent: true,
  },
  {
    name: "keys in another order, comments and a new deny rule change nothing of it",
    trusted: { [settings]: { env: { A: "1", B: "2" }, ...start(mark("a")) } },
    files: {
      [settings]: `{ // mine\n "hooks": ${JSON.stringify(start(mark("a")).hooks)},\n "env": { "B": "2", "A": "1" },\n "permissions": { "deny": ["WebSearch"] } }`,
    },
    ran: ["a"],
    silent: true,
  },
  {
    name: "what neither runs nor permits may change",
    trusted: { [settings]: { ...start(mark("a")), language: "English" } },
    files: { [settings]: { ...start(mark("a")), language: "German", includeCoAuthoredBy: false } },
    ran: ["a"],
    silent: true,
  },
  {
    name: "a deny rule that appears counts at once",
    trusted: { [settings]: { permissions: { allow: ["Bash(touch:*)"] } } },
    files: { [settings]: { permissions: { allow: ["Bash(touch:*)"], deny: ["Bash(touch MARKS/x)"] } } },
    wants: mark("x"),
  },
  {
    name: "a rule that the person adds through us counts, and is not asked about",
    trusted: {},
    before: [["permissions", "add", "allow", "Bash(touch MARKS/x)"]],
    wants: mark("x"),
    ran: ["x"],
    silent: true,
  },
  {
    name: "a variable that the person sets through us counts",
    trusted: {},
    before: [["config", "set", "env.GREETING", "hello", "--to", "project"]],
    argv: ["-p", "go", "--allowedTools=Bash"],
    wants: 'test -n "$GREETING" && touch MARKS/greeted',
    ran: ["greeted"],
    silent: true,
  },
  {
    name: "a server that the person adds through us starts",
    trusted: {},
    before: [["mcp", "add", "x", "-s", "project", "--", "sh", "-c", mark("x")]],
    ran: ["x"],
  },
  {
    name: "what the person adds through us in a folder that is not trusted waits for trust",
    before: [["permissions", "add", "allow", "Bash(touch MARKS/x)"]],
    wants: mark("x"),
    says: ["This folder is not trusted"],
  },
  {
    name: "a folder that an earlier version trusted is asked about once more",
    files: {
      [settings]: start(mark("a")),
      "../state/trust.json": { version: 1, folders: { WORK: { at: "x", runs: {} } } },
    },
    says: [`${left}: hooks (.claude/settings.json)`],
  },
  {
    name: "--trust takes what is new for that run",
    trusted: { [settings]: start(mark("a")) },
    files: { [settings]: start(mark("b")) },
    argv: ["-p", "go", "--trust"],
    ran: ["b"],
  },
  {
    name: "and leaves nothing behind for the next",
    trusted: { [settings]: start("true") },
    files: { [settings]: start(mark("b")) },
    before: [["-p", "go", "--trust", "--settings", '{"disableAllHooks": true}']],
    says: [left],
  },
]
