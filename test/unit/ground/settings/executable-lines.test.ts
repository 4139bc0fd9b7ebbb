/** What a project would run, in lines: every hook, server and variable, and nothing from files that cannot be read. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { executableLines } from "#ground/settings/executable-lines.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("each thing that would run is one line, with the file it stands in", () => {
  using folder = temporaryFolder()
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(folder.join(path)), { recursive: true })
    writeFileSync(folder.join(path), text)
  }
  write(
    ".codewright/settings.json",
    `{
      // comments are settings too
      "model": "opus",
      "hooks": {
        "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./check" }, { "type": "http", "url": "https://x.y" }] }],
        "Stop": "nonsense"
      },
      "env": { "A": "1", "B": 2 },
      "statusLine": { "type": "command", "command": "status" },
      "apiKeyHelper": "cat key"
    }`,
  )
  write(".claude/settings.json", "{ broken")
  write(
    ".mcp.json",
    '{ "mcpServers": { "db": { "command": "npx", "args": ["-y", "db"] }, "far": { "url": "https://m.org" }, "odd": 7 } }',
  )
  expect(executableLines(folder.path)).toEqual([
    { file: ".codewright/settings.json", what: "hook PreToolUse", detail: "./check" },
    { file: ".codewright/settings.json", what: "hook PreToolUse", detail: "https://x.y" },
    { file: ".codewright/settings.json", what: "variable A", detail: "1" },
    { file: ".codewright/settings.json", what: "variable B", detail: "2" },
    { file: ".codewright/settings.json", what: "statusLine", detail: "status" },
    { file: ".codewright/settings.json", what: "apiKeyHelper", detail: "cat key" },
    { file: ".mcp.json", what: "MCP server db", detail: "npx -y db" },
    { file: ".mcp.json", what: "MCP server far", detail: "https://m.org" },
    { file: ".mcp.json", what: "MCP server odd", detail: "7" },
  ])
})
