/** The flags of runs without a screen: how a program talks to the agent, and what limits it. */

import type { Flag } from "./flag.ts"

export type PrintFlagName =
  | "print"
  | "output-format"
  | "input-format"
  | "verbose"
  | "include-partial-messages"
  | "include-hook-events"
  | "replay-user-messages"
  | "session-mirror"
  | "forward-subagent-text"
  | "json-schema"
  | "goal"
  | "max-turns"
  | "max-tool-calls"
  | "max-tool-calls-per-turn"
  | "max-budget-usd"
  | "max-budget-tokens"
  | "background-wait"
  | "permission-prompt-tool"
  | "permission-prompts"
  | "detailed-exit-codes"

export const printFlags: readonly Flag<PrintFlagName>[] = [
  {
    name: "print",
    also: ["-p"],
    kind: "switch",
    about: "Answer one prompt without a screen, then exit. Standard input is appended to the prompt.",
  },
  {
    name: "output-format",
    kind: "value",
    takes: "format",
    choices: ["text", "json", "stream-json"],
    about: "What -p writes: the answer, one JSON result, or every message as a line of JSON (needs --verbose).",
  },
  {
    name: "input-format",
    kind: "value",
    takes: "format",
    choices: ["text", "stream-json"],
    about: "What is read from standard input: text, or messages as lines of JSON (needs --output-format stream-json).",
  },
  { name: "verbose", kind: "switch", about: "Show every message, not only the answer." },
  {
    name: "include-partial-messages",
    kind: "switch",
    about: "With stream-json: also write messages while they arrive, piece by piece.",
  },
  {
    name: "include-hook-events",
    kind: "switch",
    about: "With stream-json: also write when hooks start and what they answer.",
  },
  {
    name: "replay-user-messages",
    kind: "switch",
    about: "With stream-json in and out: write each user message back when it is taken up.",
  },
  {
    name: "session-mirror",
    kind: "switch",
    hidden: true,
    about: "With stream-json in and out: tell every line of the session's logs, for a session store of the SDK.",
  },
  {
    name: "forward-subagent-text",
    kind: "switch",
    about: "With stream-json: also write what subagents say, not only their calls and results.",
  },
  {
    name: "json-schema",
    kind: "value",
    takes: "schema",
    about: "A JSON Schema that the answer must match; the JSON result has it as structured_output.",
  },
  {
    name: "goal",
    kind: "value",
    takes: "condition",
    about:
      "Work until this holds: '$ npm test' for a command that must succeed, or a sentence. Exit code 1 if it does not.",
  },
  { name: "max-turns", kind: "value", takes: "n", about: "Stop after this many requests in one turn." },
  { name: "max-tool-calls", kind: "value", takes: "n", about: "Stop after this many calls of tools, agents included." },
  {
    name: "max-tool-calls-per-turn",
    kind: "value",
    takes: "n",
    about: "Stop a turn after this many calls of tools, agents included.",
  },
  {
    name: "max-budget-usd",
    kind: "value",
    takes: "amount",
    about: "Stop before a request that could cost more than this many dollars in total.",
  },
  {
    name: "max-budget-tokens",
    kind: "value",
    takes: "count",
    about: "Stop before a request that could bring the total above this many tokens.",
  },
  {
    name: "background-wait",
    kind: "value",
    takes: "seconds",
    about: "How long to wait for background work once the answer is there; by default 600 for agents, 5 for commands.",
  },
  {
    name: "permission-prompt-tool",
    kind: "value",
    takes: "tool",
    about: "An MCP tool that answers permission questions, such as mcp__server__approve; stdio for SDK clients.",
  },
  {
    name: "permission-prompts",
    kind: "value",
    takes: "whom",
    choices: ["none", "host"],
    about: "Who answers permission questions: nobody, or the program that runs Codewright.",
  },
  {
    name: "detailed-exit-codes",
    kind: "switch",
    about: "Exit with 2 usage, 3 permission missing, 4 limit reached, 5 model unavailable instead of 1.",
  },
]
