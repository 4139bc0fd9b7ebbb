/** Files that two readers would understand in two ways: nothing of them is used, with trust or without, and it is said why. */

import { hooks, mark, program, type Row, servers } from "./play.ts"

const config = JSON.stringify(servers({ evil: program("evil") }))
const inside = config.slice(1, -1)
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

const unreadable: readonly (readonly [name: string, text: string, says: string])[] = [
  ["a key of the prototype", `{"__proto__": {}, ${inside}}`, 'The key "__proto__" has no meaning here'],
  ["a key of the prototype, deep inside", `{${inside}, "x": [{"__proto__": {"mcpServers": {}}}]}`, '"__proto__"'],
  ["an escaped key of the prototype", `{"\\u005f_proto__": {}, ${inside}}`, '"__proto__"'],
  ["the constructor", `{"constructor": {"prototype": {}}, ${inside}}`, 'The key "constructor" has no meaning here'],
  ["padding", `{${" ".repeat(1_000_001)}${inside}}`, "larger than 1 MB"],
  ["four megabytes of padding", `{"x": "${"x".repeat(4_100_000)}", ${inside}}`, "larger than 1 MB"],
  ["a hundred levels", `{${inside}, "x": ${deep(120)}}`, "nested deeper than 100 levels"],
  ["two lists of servers", `{"mcpServers": {}, ${inside}}`, 'The key "mcpServers" is given twice'],
  [
    "a server that is there twice",
    `{"mcpServers": {"evil": {"command": "true"}, "evil": {"command": "true"}}}`,
    "twice",
  ],
  [
    "servers that are no object",
    `{"mcpServers": [${JSON.stringify(program("evil"))}]}`,
    "must be an object with a server by each name",
  ],
  ["something after the end", `${config} ${config}`, "after the end"],
]

const broken: readonly (readonly [name: string, text: string, says: string])[] = [
  [
    "a key of the prototype",
    `{"__proto__": {}, ${JSON.stringify(hooks("SessionStart", mark("evil"))).slice(1)}`,
    '"__proto__"',
  ],
  [
    "a key that is given twice",
    `{"env": {}, "env": {"A": "1"}}`,
    'The key "env" is given twice, so nothing of this file is used',
  ],
  ["a hundred levels", `{"statusLine": {"type": "command", "command": "x", "y": ${deep(120)}}}`, "nested deeper"],
  ["padding", `{${" ".repeat(1_000_001)}"env": {}}`, "larger than 1 MB"],
]

export const rows: readonly Row[] = [
  ...unreadable.flatMap(([name, text, words]): readonly Row[] => [
    {
      name: `.mcp.json with ${name}: nothing starts`,
      files: { ".mcp.json": text },
      argv: ["-p", "go", "--trust"],
      says: [words],
    },
  ]),
  {
    name: ".mcp.json that is no file: nothing waits for it",
    before: [["trust"]],
    links: { ".mcp.json": "pipe" },
    pipes: ["pipe"],
    says: ["This is not a file. None of its servers is used."],
  },
  {
    name: ".mcp.json that becomes such a file after trust: nothing starts",
    trusted: { ".mcp.json": config },
    files: { ".mcp.json": `{"__proto__": {}, ${inside}}` },
    says: ['"__proto__"'],
  },
  {
    name: "such a file is trusted for nothing: made whole later, it is new",
    trusted: { ".mcp.json": `{"__proto__": {}, ${inside}}` },
    hides: ["MCP server"],
    files: { ".mcp.json": config },
    says: ["New or changed since you trusted this folder, so left out: mcpServers.evil"],
  },
  {
    name: "the other files count all the same",
    files: {
      ".mcp.json": `{"__proto__": {}, ${inside}}`,
      ".claude/settings.json": hooks("SessionStart", mark("hook")),
    },
    argv: ["-p", "go", "--trust"],
    ran: ["hook"],
    says: ['"__proto__"'],
  },
  ...broken.flatMap(([name, text, words]): readonly Row[] => [
    {
      name: `settings with ${name}: the program does not start`,
      files: { ".claude/settings.json": text },
      argv: ["-p", "go", "--trust"],
      code: 1,
      says: [words],
    },
  ]),
]
