/** The flags of `codewright mcp`. */

import type { Flag } from "./flags.ts"

export type McpFlag = "transport" | "scope" | "env" | "header" | "json"

export const mcpFlags: readonly Flag<McpFlag>[] = [
  {
    name: "transport",
    also: ["-t"],
    kind: "value",
    takes: "kind",
    choices: ["stdio", "http", "sse"],
    about: "A program (stdio, when not given), or an address (http, sse).",
  },
  {
    name: "scope",
    also: ["-s"],
    kind: "value",
    takes: "scope",
    choices: ["local", "project", "user"],
    about: "For you in this folder (local, when not given), for everyone in it (.mcp.json), or for you everywhere.",
  },
  { name: "env", also: ["-e"], kind: "value", takes: "NAME=value", about: "A variable for the program; repeatable." },
  { name: "header", also: ["-H"], kind: "value", takes: "Name: value", about: "A header for an address; repeatable." },
  { name: "json", kind: "switch", about: "Write JSON." },
]
