/** Sessions in which every text tries to be more than a text. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { called, ended, prompt, said, thought } from "./lines.ts"
import { choiceAsk, commandAsk, formAsk, planAsk, type Seeded } from "./seeds.ts"

export const evil: string = [
  `<img src=x onerror="globalThis.pwned=1">`,
  `<script>globalThis.pwned=2</script>`,
  `"><svg onload=globalThis.pwned=3>`,
  `<a href="javascript:globalThis.pwned=4">x</a>`,
  `<iframe srcdoc="<script>parent.pwned=5</script>"></iframe>`,
  `<style>*{display:none}</style>`,
  `[click](javascript:globalThis.pwned=6) [data](data:text/html,x) [up](//evil.example) [me](https://bank.example@evil.example/)`,
  `![p](https://evil.example/p.png) <https://evil.example/auto>`,
  `\u202egnp.exe\u2066 \u200bzero`,
  `\u001b[2J\u001b]0;owned\u0007\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007`,
  `{{constructor.constructor('globalThis.pwned=7')()}} \${globalThis.pwned=8}`,
].join("\n")

/** In one line, for what has only one. */
export const evilLine: string = evil.replaceAll("\n", " ")

const talk: readonly EntryBody[] = [
  prompt(evil, "p1"),
  thought("m1", evil),
  said("m1", evil),
  said(
    "m1",
    `| ${evilLine.replaceAll("|", "")} | b |\n|---|---|\n| ${evilLine} | c |\n\n\`\`\`${evilLine}\n${evil}\n\`\`\`\n> ${evilLine}\n- [ ] ${evilLine}`,
  ),
  ...called("m2", { id: "c1", tool: evilLine, input: { a: evil }, title: evilLine, text: evil, isError: true }),
  ...called("m2", {
    id: "c2",
    tool: "t",
    input: {},
    title: evilLine,
    text: "",
    display: { kind: "terminal", command: evil, output: evil, exitCode: 1 },
  }),
  ...called("m2", {
    id: "c3",
    tool: "t",
    input: {},
    title: "d",
    text: "",
    display: {
      kind: "diff",
      path: `${evilLine}.ts`,
      created: true,
      hunks: [
        { oldStart: 1, oldLines: 0, newStart: 1, newLines: 2, lines: evil.split("\n").map((line) => `+${line}`) },
      ],
    },
  }),
  ...called("m2", {
    id: "c4",
    tool: "t",
    input: {},
    title: "l",
    text: "",
    display: { kind: "list", items: [evil], note: evil },
  }),
  ...called("m2", {
    id: "c5",
    tool: "t",
    input: {},
    title: "i",
    text: "",
    display: { kind: "image", mediaType: "image/svg+xml", bytes: 1, path: evilLine },
  }),
  ...called("m2", {
    id: "c6",
    tool: "t",
    input: {},
    title: "p",
    text: "",
    display: { kind: "plan", text: evil, path: evilLine },
  }),
  { kind: "todo", todos: [{ content: evil, activeForm: evil, status: "in_progress" }] },
  { kind: "notice", level: "error", text: evil },
  {
    kind: "child",
    agentId: "a",
    agentType: evilLine,
    description: evil,
    callId: "c9",
    state: "started",
    member: evilLine,
  },
  { kind: "team", team: evilLine, name: "lead", mailTo: 0 },
  ended("m2", 1, 1, 0.01),
]

const evilChoice: QuestionAsk = {
  kind: "choice",
  callId: "c",
  questions: [
    { question: evil, header: evilLine, options: [{ label: evilLine, description: evil }], multiSelect: false },
  ],
}

const plan = {
  markdown: evil,
  digest: "",
  filesToCreate: [evil],
  filesToModify: [evilLine],
  commands: [evil],
  tests: [evil],
}

const session = (id: string, more: Partial<Seeded>): Seeded => ({
  id: `hostile-${id}`,
  title: evilLine,
  query: evil,
  stage: "awaiting_tool_approval",
  entries: talk,
  ...more,
})

export const hostileSessions: readonly Seeded[] = [
  session("tool", { asks: [commandAsk(evil, [evil])], news: { clarifiedQuery: evil, plan, costUsd: 1 } }),
  session("plan", {
    stage: "awaiting_plan_approval",
    asks: [{ ...planAsk, plan: evil, wishes: [{ prompt: evil, covers: evil }] }],
  }),
  session("question", { stage: "awaiting_answer", asks: [evilChoice, choiceAsk] }),
  session("form", { stage: "awaiting_answer", asks: [{ ...formAsk, server: evilLine, message: evil }] }),
  session("over", { stage: "failed", news: { result: { ok: false, text: evil } } }),
]
