/** The flags of `codewright mcp`. */

import type { Flag } from "./flag.ts"

export type McpFlag = "transport" | "scope" | "env" | "header" | "client-id" | "callback-port" | "json"

export const mcpFlags: readonly Flag<McpFlag>[] = [
  {
    name: "transport",
    also: ["-t"],
    kind: "value",
    takes: "kind",
    choices: ["stdio", "http", "sse"],
    about: "A local program (stdio, the default) or a URL (http, sse).",
  },
  {
    name: "scope",
    also: ["-s"],
    kind: "value",
    takes: "scope",
    choices: ["local", "project", "user"],
    about: "Only you in this folder (local, the default), everyone in this project (.mcp.json), or you in all folders.",
  },
  {
    name: "env",
    also: ["-e"],
    kind: "value",
    takes: "NAME=value",
    about: "An environment variable for the program; repeatable.",
  },
  {
    name: "header",
    also: ["-H"],
    kind: "value",
    takes: "Name: value",
    about: "An HTTP header for a server at a URL; repeatable.",
  },
  {
    name: "client-id",
    kind: "value",
    takes: "id",
    about: "The OAuth client to log in as, if you registered one. Its secret is read from MCP_CLIENT_SECRET at login.",
  },
  {
    name: "callback-port",
    kind: "value",
    takes: "port",
    about: "The port of http://localhost:<port>/callback, where the browser comes back to after a login.",
  },
  { name: "json", kind: "switch", about: "Print JSON." },
]
