/** Starts an agent that works on its own, or resumes one. */

import type { ChildFact } from "#agent/words/child.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type Effort, effortLevels } from "#agent/words/thinking.ts"
import { answered, type CallContext, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import type { Clock } from "#lib/clock.ts"
import type { JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { Crew } from "./crew.ts"
import type { AgentDefinition } from "./definition.ts"
import type { Members } from "./members.ts"
import { agentLine } from "./roster.ts"
import { movedWords, resultWords, startedWords, usageWords } from "./words.ts"
import type { Ended, Work } from "./work.ts"

export interface TaskInput {
  readonly description: string
  readonly prompt: string
  readonly subagent_type: string
  readonly model?: string | undefined
  readonly effort?: Effort | undefined
  readonly run_in_background?: boolean | undefined
  readonly resume?: string | undefined
  readonly isolation?: "worktree" | "shared" | undefined
  readonly team_name?: string | undefined
  readonly name?: string | undefined
  readonly mode?: "plan" | undefined
}

export interface TaskGround {
  /** Those that there are now; the description lists those of the start. */
  readonly agents: () => readonly AgentDefinition[]
  readonly crew: Crew
  readonly clock: Clock
  /** Where a team can be made. */
  readonly members?: Members | undefined
  readonly background?: TaskBackground | undefined
}

/** `usual`: a call does not wait unless it says so; it waits unless it says so when absent. */
export type TaskBackground = "off" | "usual"

export const taskTool = (ground: TaskGround): Tool<TaskInput> =>
  defineTool({
    name: "Task",
    aliases: ["Agent"],
    delegates: true,
    ...(ground.background !== "off" && { movable: true }),
    description: descriptionFor(ground),
    input: inputFor(ground),
    title: ({ subagent_type, description }) => `${subagent_type} ${description}`,
    // The agent's own calls are judged one by one.
    footprint: touchesNothing,
    validate: async ({ run_in_background }) =>
      run_in_background && ground.background === "off" ? noBackground : undefined,
    run: (input, context) => run(input, context, ground),
  })

const noBackground = "Nothing runs in the background here. Call it again without run_in_background."

/** Members and the background are spoken of only where there can be some. */
function inputFor({ members, background }: TaskGround): shape.Readable<TaskInput> {
  const all = members
    ? shape.object({ ...fields, isolation: isolationOf(["worktree", "shared"]), ...memberFields })
    : shape.object({ ...fields, isolation: isolationOf(["worktree"]) })
  const { run_in_background, ...others } = all.json.properties as JsonObject
  if (background === "off") return { ...all, json: { ...all.json, properties: others } }
  if (background === undefined) return all
  const beside = { ...(run_in_background as JsonObject), description: "false: wait for its answer" }
  return { ...all, json: { ...all.json, properties: { ...others, run_in_background: beside } } }
}

const fields = {
  description: shape.string().min(1).describe("What it is about, in three to five words"),
  prompt: shape.string().min(1).describe("The whole task"),
  subagent_type: shape.string().min(1).describe("Which agent"),
  model: shape.string().min(1).optional().describe("Another model: an alias such as haiku, or an id"),
  effort: shape.choice(effortLevels).optional().describe("How much it thinks, if not as its type says"),
  run_in_background: shape.boolean().optional().describe("Do not wait for it"),
  resume: shape.string().min(1).optional().describe("The id of an earlier agent of this type to resume"),
}

const isolationOf = (kinds: readonly ("worktree" | "shared")[]) =>
  shape.choice(kinds).optional().describe("worktree: in a git worktree and branch of its own, apart from your files")

const memberFields = {
  team_name: shape.string().trim().min(1).optional().describe("Your team, which it joins as a member"),
  name: shape.string().trim().min(1).optional().describe("A short name; members stay and take tasks of the team"),
  mode: shape.choice(["plan"]).optional().describe("The member changes nothing until its plan is approved"),
}

async function run(input: TaskInput, context: CallContext, ground: TaskGround): Promise<Outcome> {
  const { agents, crew } = ground
  const definition = chosen(input, agents(), crew)
  if (!definition.ok) return refused(definition.failure)
  const { callId, within, signal } = context
  if (ground.members && (input.team_name !== undefined || input.name !== undefined)) {
    const { team_name: team, name, description, prompt, model, isolation, mode } = input
    const started = await ground.members.start({
      team,
      name,
      definition: definition.value,
      description,
      prompt,
      model,
      isolation: isolation ?? definition.value.isolation,
      plans: mode === "plan",
      callId,
      within,
      signal,
    })
    if (!started.ok) return refused(`The member was not started. ${started.failure}`)
    const { text, shown, data } = started.value
    return answered(text, { display: { kind: "text", text: shown }, data })
  }
  const waiting = crew.waitingFor(callId)
  const resume = waiting?.agentId ?? input.resume
  const started = await crew.start({
    definition: definition.value,
    description: input.description,
    prompt: input.prompt,
    model: input.model,
    resume,
    waiting,
    isolation:
      (input.isolation === "shared" ? undefined : input.isolation) ??
      placeBefore(resume, crew) ??
      definition.value.isolation,
    callId,
    within,
    signal,
  })
  if (!started.ok) return refused(`The agent was not started. ${started.failure}`)
  const work = started.value
  if (!waits(input, definition.value, ground)) {
    crew.toBackground(work)
    return inBackground(work.fact, startedWords(work.fact), input)
  }
  return waitFor(work, context, input, ground)
}

function waits(
  { run_in_background }: TaskInput,
  definition: AgentDefinition,
  { background }: Pick<TaskGround, "background">,
): boolean {
  if (background === "off") return true
  return !(run_in_background ?? definition.background ?? background === "usual")
}

function chosen(
  { subagent_type, resume, effort }: TaskInput,
  agents: readonly AgentDefinition[],
  crew: Crew,
): Result<AgentDefinition, string> {
  const definition = agents.find(({ agentType }) => agentType === subagent_type)
  const names = agents.map(({ agentType }) => agentType)
  if (!definition) {
    const near = nearNames(subagent_type, names, 2)
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}? ` : ""
    return failed(`There is no agent ${subagent_type}. ${hint}There are: ${names.join(", ")}.`)
  }
  const asked = effort === undefined ? definition : { ...definition, effort }
  if (resume === undefined) return ok(asked)
  const known = crew.stateOf(resume)?.fact
  if (!known) return failed(`There is no agent ${resume} in this session to resume. Start a new one.`)
  // Rules are about types, so the named type must be that of the resumed agent.
  if (known.agentType !== subagent_type)
    return failed(`The agent ${resume} is of the type ${known.agentType}; name that as subagent_type to resume it.`)
  if (known.path === undefined) return failed("This session is not saved, so no agent can be resumed. Start a new one.")
  return ok(asked)
}

/** An agent with its own worktree continues there. */
const placeBefore = (resume: string | undefined, crew: Crew): "worktree" | undefined =>
  resume !== undefined && crew.stateOf(resume)?.fact.worktree ? "worktree" : undefined

/** How often watchers learn how long it has been running. */
const tickMs = 1_000

/** Waits until it has ended, and ends it when the call is aborted. */
async function waitFor(
  work: Work,
  { signal, progress }: CallContext,
  input: TaskInput,
  { crew, clock }: TaskGround,
): Promise<Outcome> {
  let cancel = (): void => {}
  const tick = (): void => {
    progress({ output: "", totalBytes: 0, elapsedMs: work.usage().durationMs })
    cancel = clock.after(tickMs, tick)
  }
  const onAbort = (): void => void crew.stop(work.fact.agentId)
  signal.addEventListener("abort", onAbort, { once: true })
  if (signal.aborted) onAbort()
  cancel = clock.after(tickMs, tick)
  const first = await crew.endOrMove(work)
  cancel()
  signal.removeEventListener("abort", onAbort)
  if (first !== "moved") return outcomeOf(first, input)
  crew.toBackground(work)
  return inBackground(work.fact, movedWords(work.fact), input)
}

const inBackground = (fact: ChildFact, words: string, { prompt }: TaskInput): Outcome =>
  answered(words, {
    display: { kind: "text", text: "Working in the background" },
    data: { status: "async_launched", agentId: fact.agentId, agentType: fact.agentType, prompt },
  })

function outcomeOf({ fact, activity, remains }: Ended, { prompt }: Pick<TaskInput, "prompt">): Outcome {
  const { agentId, agentType, usage, end } = fact
  const text = resultWords(fact, activity, remains)
  const data: JsonObject = {
    status: end ?? "failed",
    agentId,
    agentType,
    prompt,
    content: [{ type: "text", text: activity.text }],
    totalDurationMs: usage.durationMs,
    totalTokens: usage.tokens,
    totalToolUseCount: usage.toolUses,
    usage: { ...activity.usage },
    ...(remains.worktree && { worktree: { ...remains.worktree } }),
  }
  if (end === "completed")
    return answered(text, { data, display: { kind: "text", text: `Done: ${usageWords(usage)}` } })
  // Declining a call of the agent without instructions stops the whole agent.
  const isDeclined = activity.end?.cause === "declined"
  return refused(text, { data, ...(isDeclined && { rejected: true }) })
}

function descriptionFor({ agents, background }: TaskGround): string {
  return `Starts an agent that works on a task of its own, with its own context, and answers you once.
Which there are:
${agents().map(agentLine).join("\n")}

Use it for open-ended searching (Explore), for designing (Plan), and for parts of the work that can be described once and need not be watched. Do it yourself when you know the file, look for one class or function, or need two or three files: that is faster.
- Several agents for independent parts: call them together in one answer, and they work at the same time.
${background === "usual" ? besideWords : ""}- The agent sees nothing of this conversation. Its prompt must say all it needs: the goal, what is known, paths, whether it should change files or only look, and what exactly to answer.
- Only its last message comes back, and the user does not see it: tell them what matters. Check what it claims before you build on it.
- It works under the same permissions as you.`
}

const besideWords = `- The call does not wait: the agent works in the background, and you are told when it is done. Say what you started, then do something else or end your turn; never wait by sleeping or asking again and again. Set run_in_background to false only if your next step needs its answer.
`
