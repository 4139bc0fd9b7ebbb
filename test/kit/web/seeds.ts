/** A fleet in which something of everything happens: sessions in every stage, and approvals of every kind. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Display } from "#agent/words/display.ts"
import { runs, writes } from "#agent/words/footprint.ts"
import { type GateOverview, reviewCheck } from "#agent/words/gates.ts"
import { type QuestionAsk, questionOf } from "#agent/words/question.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import { hunksOf } from "#lib/diff.ts"
import type { Lease, NewWorker, SessionNews } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { type Approval, approvalOf } from "#session/port/approval.ts"
import { valueOf } from "../team/conformance.ts"
import { called, ended, linesOf, prompt, said, thought } from "./lines.ts"

const workers: readonly NewWorker[] = [
  { id: "w_1f4c", pid: 4112, host: "build-1", slots: 4, labels: ["linux"] },
  { id: "w_9a02", pid: 882, host: "build-2", slots: 8, labels: ["linux", "gpu"] },
]

const longMs = 3_600_000

export interface Seeded {
  readonly id: string
  readonly title: string
  readonly query: string
  readonly stage: SessionStage
  readonly entries?: readonly EntryBody[]
  readonly asks?: readonly QuestionAsk[]
  readonly news?: SessionNews
  /** A worker keeps it. */
  readonly isHeld?: boolean
}

/** The same approval that a worker makes of a question. */
const approvalFor = (nth: number, ask: QuestionAsk): Approval => approvalOf(questionOf(`q_${nth}`, ask))

/** Puts a session where it is said to be; the lease is that of whoever holds it last. */
export async function seed(
  store: FleetStore,
  seeded: Seeded,
  worker: NewWorker | undefined = workers[0],
): Promise<Lease> {
  const { id, title, query, stage, entries = [], asks = [], news = {}, isHeld } = seeded
  if (!worker) throw new Error("no worker")
  await store.sessions.create(
    {
      id,
      title,
      query,
      mode: "default",
      model: "sim/demo",
      // Each has a folder of its own, or all would be told of each other.
      opening: { workspace: { path: `/srv/${id}/shop` }, confined: true },
      labels: [id],
    },
    "ann",
  )
  // Others that were woken meanwhile have labels of their own.
  await store.leases.beat({ ...worker, labels: [id] }, [], longMs)
  let lease = await store.leases.acquire(worker.id, longMs)
  // A session without labels, such as one made on the page, is for everybody, and came first.
  while (lease && lease.sessionId !== id) lease = await store.leases.acquire(worker.id, longMs)
  await store.leases.beat(worker, lease ? [lease] : [], longMs)
  if (lease?.sessionId !== id) throw new Error(`${id} is not to be had`)
  const questions = asks.map((ask, nth): EntryBody => ({ kind: "question", question: questionOf(`q_${nth}`, ask) }))
  const bodies = [...(entries.length === 0 ? [prompt(query, "p1")] : entries), ...questions]
  valueOf(await store.lines.ship(lease, 1, linesOf(id, bodies)))
  if (isHeld) valueOf(await store.leases.report(lease, { stage, ...news }))
  else
    valueOf(
      await store.leases.park(
        lease,
        { stage, ...news },
        asks.map((ask, nth) => approvalFor(nth, ask)),
      ),
    )
  return lease
}

async function seedWorkers(store: FleetStore): Promise<void> {
  for (const worker of workers) await store.leases.beat(worker, [], longMs)
}

const otherWorker: NewWorker | undefined = workers[1]

const before = `export function total(items) {
  let sum = 0
  for (const item of items) sum += item.price
  return sum
}
`
const after = `export function total(items, taxRate = 0) {
  let sum = 0
  for (const { price, count } of items) sum += price * count
  return sum * (1 + taxRate)
}
`

const edit = async (): Promise<Display> => ({
  kind: "diff",
  path: "src/cart.js",
  hunks: await hunksOf(before, after),
  created: false,
})

const permission = (more: Partial<QuestionAsk & { kind: "permission" }>): QuestionAsk => ({
  kind: "permission",
  callId: "c9",
  tool: "Bash",
  title: "npm publish",
  input: { command: "npm publish" },
  footprint: runs("npm publish"),
  decision: { behavior: "ask", reason: { kind: "default" }, message: "It may change files or run code.", trace: [] },
  ...more,
})

/** As the tool itself says it. */
function titleOf(command: string): string {
  const [line = "", ...rest] = command.split("\n")
  return rest.length === 0 ? line : `Bash (${rest.length + 1} lines): ${line}`
}

export const commandAsk = (command: string, risks: readonly string[] = []): QuestionAsk =>
  permission({
    title: titleOf(command),
    input: { command, description: "Publish the package" },
    footprint: runs(command),
    cwd: "/srv/shop",
    risks,
    suggestedRule: "Bash(npm publish:*)",
    destinations: ["session", "project settings"],
  })

export const partsAsk: QuestionAsk = permission({
  title: "npm install && npm run build",
  input: { command: "npm install && npm run build && ls" },
  footprint: runs("npm install && npm run build && ls"),
  parts: [
    { text: "npm install", needsConsent: true, why: "changes files", rule: "Bash(npm install:*)" },
    { text: "npm run build", needsConsent: true, why: "runs code", rule: "Bash(npm run build:*)" },
    { text: "ls", needsConsent: false, why: "only reads" },
  ],
  destinations: ["session"],
})

export const reviewAsk = async (text = "export const rate = 0.19\n"): Promise<QuestionAsk> =>
  permission({
    tool: "Bash",
    title: "npm run generate",
    question: "Keep the new file src/tax.js?",
    input: { command: "npm run generate" },
    display: {
      kind: "diff",
      path: "src/tax.js",
      hunks: await hunksOf("", text),
      created: true,
    },
    decision: { behavior: "ask", reason: { kind: "tool_check", check: reviewCheck }, message: "It is new.", trace: [] },
  })

export const editAsk = async (): Promise<QuestionAsk> =>
  permission({
    tool: "Edit",
    title: "Edit src/cart.js",
    question: "Apply this edit to src/cart.js?",
    input: { file_path: "/srv/shop/src/cart.js", old_string: "sum += item.price", new_string: "sum += price * count" },
    footprint: writes("/srv/shop/src/cart.js"),
    display: await edit(),
    undo: "rewind",
    suggestions: { rules: [], mode: "acceptEdits" },
    decision: { behavior: "ask", reason: { kind: "default" }, message: "It changes a file.", trace: [] },
  })

const planText = `# Add taxes to the cart

The total ignores how many of each item there are, and knows no taxes.

1. \`total\` multiplies by the count and takes a tax rate
2. The checkout passes the rate of the country
3. Tests for both

## Files to modify
- \`src/cart.js\`
- \`src/checkout.js\`

## Files to create
- \`test/cart.test.js\`

## Commands
- \`npm test\`
`

export const planAsk: QuestionAsk & { readonly kind: "plan" } = {
  kind: "plan",
  callId: "c5",
  plan: planText,
  path: "/state/plans/add-taxes.md",
  modes: ["default", "acceptEdits", "auto"],
  wishes: [
    { prompt: "run the tests", covers: "npm test" },
    { prompt: "install dependencies", covers: "npm install" },
    { prompt: "tidy up" },
  ],
}

export const choiceAsk: QuestionAsk = {
  kind: "choice",
  callId: "c6",
  questions: [
    {
      question: "Where should the tax rates come from?",
      header: "Tax rates",
      options: [
        { label: "A table in the code", description: "simple, changes with a release" },
        { label: "The settings", description: "each shop sets its own" },
      ],
      multiSelect: false,
    },
    {
      question: "Which countries at first?",
      header: "Countries",
      options: [
        { label: "Germany", description: "" },
        { label: "France", description: "" },
        { label: "Austria", description: "" },
      ],
      multiSelect: true,
    },
  ],
}

export const formAsk: QuestionAsk & { readonly kind: "elicitation" } = {
  kind: "elicitation",
  callId: "c7",
  server: "tickets",
  message: "Which ticket is this for?",
  schema: {
    type: "object",
    properties: { ticket: { type: "string", title: "Ticket", description: "Such as SHOP-12" } },
    required: ["ticket"],
  },
}

const outputLines = Array.from({ length: 60 }, (_, i) => `ok ${i + 1} - cart adds item ${i + 1}`)

/** A conversation with something of everything. */
export const richTalk = async (): Promise<readonly EntryBody[]> => [
  { kind: "turn_start", turnId: "t1" },
  prompt("The total of the cart ignores the count of items. Fix it, and add taxes.", "p1"),
  thought("m1", "The function is probably in src/cart.js. I should read it before I change anything."),
  said("m1", "I'll look at the cart first."),
  ...called("m1", {
    id: "c1",
    tool: "Read",
    input: { file_path: "/srv/shop/src/cart.js" },
    title: "Read src/cart.js",
    text: before,
  }),
  ended("m1", 0, 9_800, 0.021),
  {
    kind: "todo",
    todos: [
      { content: "Read the cart", activeForm: "Reading the cart", status: "completed" },
      { content: "Fix the total", activeForm: "Fixing the total", status: "in_progress" },
      { content: "Write tests", activeForm: "Writing tests", status: "pending" },
    ],
  },
  ...called("m2", {
    id: "c2",
    tool: "Edit",
    input: { file_path: "/srv/shop/src/cart.js" },
    title: "Edit src/cart.js",
    text: "Edited.",
    display: await edit(),
  }),
  ended("m2", 9_800, 1_200, 0.012),
  ...called("m3", {
    id: "c3",
    tool: "Bash",
    input: { command: "npm test" },
    title: "npm test",
    text: outputLines.join("\n"),
    display: { kind: "terminal", command: "npm test", output: outputLines.join("\n"), exitCode: 0 },
  }),
  ended("m3", 11_000, 3_400, 0.014),
  {
    kind: "child",
    agentId: "a1",
    agentType: "explore",
    description: "find where totals are shown",
    callId: "c4",
    state: "ended",
    end: "completed",
    usage: { tokens: 18_400, toolUses: 7, durationMs: 21_000 },
  },
  said(
    "m4",
    `## What changed

\`total\` now multiplies each price by its **count** and takes a tax rate:

\`\`\`js
total([{ price: 10, count: 2 }], 0.19) // 23.8
\`\`\`

| case | before | now |
|---|---|---|
| two items | 10 | 20 |
| with taxes | 10 | 23.80 |

- [x] the total
- [ ] the receipt, see [the ticket](https://tickets.example.com/SHOP-12)

Shall I publish it?`,
  ),
  ended("m4", 14_400, 2_100, 0.018),
  { kind: "team", team: "shop", name: "lead", mailTo: 0 },
]

/** One of every kind: anybody's, kept for admins, kept by the policy, switched, and off. */
const gates: readonly GateOverview[] = [
  { gate: "clarify", on: false },
  { gate: "plan", on: true, source: "session" },
  { gate: "files", on: true, source: "project", kept: "admin" },
  { gate: "git", on: true, source: "policy", kept: "policy" },
  { gate: "testFirst", on: false, source: "settings", by: "ann" },
]

/** The stories are about these; their ids are in the addresses. */
export async function seedFleet(store: FleetStore): Promise<void> {
  await seedWorkers(store)
  const plan = {
    markdown: planText,
    digest: approvalFor(0, planAsk).digest,
    filesToCreate: ["test/cart.test.js"],
    filesToModify: ["src/cart.js", "src/checkout.js"],
    commands: ["npm test"],
    tests: ["cart.test.js: total with count and tax"],
  }
  const all: readonly (Seeded & { readonly on?: NewWorker | undefined })[] = [
    {
      id: "s_done",
      title: "Upgrade the linter",
      query: "Upgrade oxlint",
      stage: "completed",
      news: { costUsd: 0.42, result: { ok: true, text: "Upgraded." } },
    },
    {
      id: "s_failed",
      title: "Move to the new API",
      query: "Move the client to v2",
      stage: "failed",
      news: { costUsd: 1.2, result: { ok: false, text: "The budget of $1.20 is used up." } },
    },
    {
      id: "s_planning",
      title: "Split the settings page",
      query: "Split it",
      stage: "planning",
      isHeld: true,
      on: otherWorker,
    },
    {
      id: "s_run",
      title: "Speed up the search",
      query: "Search takes 3 s. Make it fast.",
      stage: "executing",
      isHeld: true,
      on: otherWorker,
    },
    {
      id: "s_clarify",
      title: "Make it nicer",
      query: "Make the start page nicer",
      stage: "awaiting_clarification",
      asks: [choiceAsk],
    },
    {
      id: "s_plan",
      title: "Taxes in the cart",
      query: "Add taxes to the cart",
      stage: "awaiting_plan_approval",
      asks: [planAsk],
      news: { plan, costUsd: 0.08 },
    },
    { id: "s_form", title: "Close the ticket", query: "Close the ticket", stage: "awaiting_answer", asks: [formAsk] },
    {
      id: "s_edit",
      title: "Fix the total",
      query: "Fix the total",
      stage: "awaiting_tool_approval",
      asks: [await editAsk()],
    },
    {
      id: "s_tool",
      title: "Cart: count and taxes",
      query: "The total of the cart ignores the count of items. Fix it, and add taxes.",
      stage: "awaiting_tool_approval",
      entries: await richTalk(),
      asks: [
        commandAsk("npm version minor\nnpm publish --access public", [
          "Publishes a package that everybody can install",
        ]),
      ],
      news: { costUsd: 0.065, gates },
    },
  ]
  for (const { on, ...each } of all) await seed(store, each, on)
  await store.sessions.create(
    {
      id: "s_cancelled",
      title: "Try another database",
      query: "Try it",
      mode: "plan",
      model: "sim/demo",
      opening: { workspace: { path: "/srv/shop" }, confined: true },
      labels: ["nobody"],
    },
    "ben",
  )
  valueOf(await store.sessions.cancel("s_cancelled", "ben"))
}
