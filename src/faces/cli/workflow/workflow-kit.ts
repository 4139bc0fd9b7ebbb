/** The tool with which the model proposes a workflow. The user sees the whole script and decides; then it runs as one of theirs does. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import { openRunRecord } from "#fleet/workflow/run-record.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { digestOf } from "#lib/digest.ts"
import { costText } from "#lib/figures.ts"
import { stripControls } from "#lib/printable.ts"
import * as shape from "#lib/shape.ts"
import { notRun } from "#team/call-outcome.ts"
import { startRun } from "./start-run.ts"

export interface WorkflowKitParts {
  readonly sessionId: string
  readonly cwd: string
  readonly state: string
}

interface Proposal {
  readonly name?: string | undefined
  readonly script?: string | undefined
  readonly max_budget_usd?: number | undefined
  readonly concurrency?: number | undefined
}

const toolName = "Workflow"
const usualConcurrency = 4

const description = `Proposes a script that lets many agents work at once and computes with their answers: for work in many similar parts, or when the user asks for a workflow. The user reads the script and decides; you are told how it ended.
Call it without a script first: it answers with how one is written.`

const howToWrite = `A script is a TypeScript module with one default export:

export default async ({ agent, log }) => {
  const found = await Promise.all(files.map((file) => agent(\`Review \${file}.\`, { label: file, schema })))
  return agent(\`Summarize: \${JSON.stringify(found)}\`)
}

agent(prompt, options) starts a session of its own in this folder and resolves with its last message, or with an object if options.schema is a JSON Schema. It knows nothing of this conversation, so say all it needs. It throws if that session fails. Other options: label, agent, model, effort, mode (permission mode), worktree (a name; for agents that edit), budgetUsd.
log(text) tells the user something. What the script returns is the result, and must be JSON.
A run that is killed starts the script again, and answered calls return at once: do not use the time or chance, and change nothing except through agents.
Give the data of the work in the script itself. Give max_budget_usd: no agent is started once that much is spent.`

export function workflowKit(parts: WorkflowKitParts): Kit {
  /** Started by this session, and not told of since. */
  const pending = new Map<string, string>()
  let wake = (): void => {}

  function news(): readonly Attachment[] {
    return [...pending].flatMap(([id, name]) => endOf(id, name, parts.state) ?? [])
  }

  function started(id: string, name: string): Outcome {
    return answered(
      `Started ${name} as ${id}. Its agents work in the background. You are told when it ends: continue, or end your turn.`,
      {
        display: { kind: "text", text: `Started ${name} (${id}). Its agents: /agents running` },
        data: { run: id, name },
      },
    )
  }

  function start({ id, name, ...proposal }: Proposal & { readonly id: string; readonly name: string }): Outcome {
    const { folder } = openRunRecord(parts.state, id)
    const file = join(folder, "script.ts")
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, proposal.script ?? "", { mode: 0o600 })
    const run = startRun({ id, file, flags: flagsOf(proposal, parts.sessionId) }, parts)
    if (!run.ok) return refused(run.failure)
    void run.value.exited.then(() => wake())
    return started(id, name)
  }

  return {
    name: "workflow",
    tools: [workflowTool(parts, (proposal, callId) => start({ ...proposal, ...namesOf(proposal, callId, parts) }))],
    onEntry(entry) {
      const { run, name } = (entry.kind === "result" && entry.tool === toolName && entry.data) || {}
      if (typeof run === "string") pending.set(run, String(name))
      const reportedRun = entry.kind === "attachment" ? entry.data?.["workflowRun"] : undefined
      if (typeof reportedRun === "string") pending.delete(reportedRun)
    },
    attachments: news,
    rest: news,
    stirs(how) {
      wake = how
      if (news().length > 0) wake()
      return () => void (wake = () => {})
    },
    async outcomeOf({ id: callId, name, input }) {
      if (name !== toolName || input["script"] === undefined) return undefined
      // Parsed before the call was begun.
      const proposal = input as Proposal
      const { id, name: title } = namesOf(proposal, callId, parts)
      const record = openRunRecord(parts.state, id)
      if (record.run()) return started(id, title)
      // A run with this id begins once, whoever starts it.
      return existsSync(join(record.folder, "script.ts")) ? start({ ...proposal, id, name: title }) : notRun
    },
  }
}

function workflowTool({ cwd }: WorkflowKitParts, start: (proposal: Proposal, callId: string) => Outcome): AnyTool {
  return defineTool({
    name: toolName,
    description,
    input: shape.object({
      name: shape.string().trim().min(1).optional().describe("A short name, for the user"),
      script: shape.string().min(1).optional(),
      max_budget_usd: shape.number().optional(),
      concurrency: shape.int().min(1).optional().describe(`Agents at once (${usualConcurrency})`),
    }),
    title: ({ name, script }) => (script === undefined ? "How to write a workflow" : `Workflow ${nameOf({ name })}`),
    keyed: true,
    // The script has the rights of the user, so nobody can say what it touches.
    footprint: ({ script }) =>
      script === undefined ? touchesNothing() : { ...touchesNothing(), effect: "unknown", alone: true },
    async validate({ script, max_budget_usd: budget }) {
      if (script === undefined) return undefined
      if (budget === undefined || !(budget > 0)) return "Give max_budget_usd, an amount above 0."
      return problemOf(script)
    },
    async preview({ script, max_budget_usd: budget = 0, concurrency = usualConcurrency }) {
      if (script === undefined) return undefined
      const about = `Starts agents in ${cwd}, ${concurrency} at a time, for at most ${costText(budget)}. They follow your permission rules; their questions wait in /agents running.`
      return { kind: "text", text: `${about}\n\n${script.trimEnd()}` }
    },
    risks: ({ script }) =>
      script === undefined ? [] : ["The script itself runs with your rights and outside the sandbox."],
    async run(proposal, { callId }) {
      return proposal.script === undefined ? answered(howToWrite) : start(proposal, callId)
    },
  })
}

/** The failure is a sentence for the model; undefined if it can be read. */
function problemOf(script: string): string | undefined {
  try {
    const { exports } = new Bun.Transpiler({ loader: "ts" }).scan(script)
    return exports.includes("default") ? undefined : "The script has no default export. Call Workflow without a script."
  } catch (error) {
    return `The script cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

const nameOf = ({ name }: Pick<Proposal, "name">): string => stripControls(name ?? "workflow")

/** The same for the same call, so that a call that was cut off finds its run again. */
const namesOf = (
  proposal: Proposal,
  callId: string,
  { sessionId }: WorkflowKitParts,
): { readonly id: string; readonly name: string } => ({
  id: `wf-${digestOf([sessionId, callId])
    .replaceAll(/[^0-9a-f]/g, "")
    .slice(0, 8)
    .padEnd(8, "0")}`,
  name: nameOf(proposal),
})

const flagsOf = ({ max_budget_usd: budget, concurrency }: Proposal, sessionId: string): readonly string[] => [
  "--tell",
  sessionId,
  ...(budget === undefined ? [] : ["--max-budget-usd", String(budget)]),
  ...(concurrency === undefined ? [] : ["--concurrency", String(concurrency)]),
]

const mostTold = 8_000

/** Undefined while it is under way. */
function endOf(id: string, name: string, state: string): Attachment | undefined {
  const record = openRunRecord(state, id)
  const run = record.run()
  const end = run?.end
  if (!end && holderOf(join(record.folder, "run.lock"), process.pid)) return undefined
  // It has only just been started.
  if (!run && !existsSync(join(record.folder, "run.lock"))) return undefined
  const result = end?.ok ? (typeof end.result === "string" ? end.result : JSON.stringify(end.result, null, 2)) : ""
  const words = end?.ok
    ? `is done:\n${result.length > mostTold ? `${result.slice(0, mostTold)}\n[shortened; all of it is in ${join(record.folder, "run.json")}]` : result}`
    : end
      ? `has failed: ${end.why}`
      : `was killed before its end. The user can continue it: codewright workflow run --resume ${id}`
  return {
    name: "workflow_end",
    text: `<task-notification>\nThe workflow ${escapeImitations(`${name} (${id}) ${words}`)}\n</task-notification>`,
    data: { workflowRun: id, shown: `Workflow ${name} (${id}) ${end?.ok ? "is done" : words}` },
  }
}
