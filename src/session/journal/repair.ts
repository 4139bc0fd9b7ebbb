/** Repairs a session that ended mid-turn: reports what was running, and answers open calls. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry, EntryBody, FileBefore } from "#agent/words/entry.ts"
import { textOf, type ToolUseBlock } from "#agent/words/message.ts"
import type { ContinuedCall } from "#agent/words/server-call.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { optional } from "#lib/optional.ts"
import type { WaitingPrompt } from "./inbox.ts"
import { leftOpenIn, type OpenCall } from "./left-open.ts"

export interface Repair {
  readonly bodies: readonly EntryBody[]
  readonly undelivered: readonly WaitingPrompt[]
  /** A turn that waited for the user when the program ended, and can wait again. */
  readonly unfinished?: Unfinished
  /** Background agents that waited for the user, and can wait again. */
  readonly agents: readonly ChildFact[]
  /** Calls that are restarted, including those of agents: their open questions will be asked again. */
  readonly begunAgain: ReadonlySet<string>
}

/** A turn, and the calls of its last answer that were not begun. */
export interface Unfinished {
  readonly turnId: string
  readonly calls: readonly ToolUseBlock[]
}

export interface RepairPorts {
  /** Describes the current content of a file. */
  readonly fingerprint: (path: string) => string
  /** Whether someone can answer open questions; otherwise they are withdrawn. */
  readonly canAskAgain: boolean
  readonly asked: (callId: string) => "open" | "answered" | undefined
  /** How far a call of a server came that can be continued; undefined for every other call. */
  readonly continued?: ((callId: string) => ContinuedCall | undefined) | undefined
  /** What came of a call that was begun, where a store could be asked. */
  readonly outcomeOf?: ((callId: string) => Outcome | undefined) | undefined
  /** Why the session ended mid-turn, as the end of a sentence. */
  readonly why: string
  /** The repair of a started agent, from its own log; undefined where there is none. */
  readonly agent: (agentId: string) => Repair | undefined
}

export function repair(entries: readonly Entry[], ports: RepairPorts): Repair {
  const bodies: EntryBody[] = []
  const { why } = ports
  const { open, waiting, agents, turn, answer, expanding, chore } = leftOpenIn(entries)
  const agentsWaiting = waitingAmong(agents.values(), ports)
  const canBegin = ({ use, files, agent }: OpenCall): boolean =>
    ports.outcomeOf?.(use.id)
      ? false
      : agent
        ? agentsWaiting.has(agent.agentId) && agent.callId === use.id
        : files === undefined || ports.continued?.(use.id) !== undefined
  const isAwaited = (call: OpenCall): boolean =>
    canBegin(call) &&
    (call.agent !== undefined || call.isMade === true || goesOn(call, ports) || isAnswerable(call.use.id, ports))
  const waits = turn !== undefined && answer !== "over" && [...open.values()].some(isAwaited)
  // The rest of a streaming answer is unknown, so only calls that were asked about are restarted.
  const beginsAgain = answer === "ended" ? canBegin : isAwaited
  const unbegun: ToolUseBlock[] = []
  for (const [callId, call] of open) {
    const { use, files, agent } = call
    const came = ports.outcomeOf?.(callId)
    if (waits && beginsAgain(call)) unbegun.push(use)
    else if (came) bodies.push({ kind: "result", callId, tool: use.name, durationMs: 0, ...resultOf(came) })
    else
      bodies.push({
        kind: "result",
        callId,
        tool: use.name,
        isError: true,
        durationMs: 0,
        content: agent ? agentLost(agent, why) : files === undefined ? notRun(why) : underWay(files, ports),
      })
  }
  const begunAgain = new Set(unbegun.map(({ id }) => id))
  const goingOn: ChildFact[] = []
  for (const { uuid: _uuid, parentUuid: _parent, at: _at, kind: _kind, ...fact } of agents.values()) {
    const own = agentsWaiting.get(fact.agentId)
    const hasCall = unbegun.some(({ id }) => id === fact.callId)
    if (!own || !(hasCall || fact.state === "background")) {
      bodies.push({ kind: "child", ...fact, state: "ended", end: "lost" })
      continue
    }
    if (!hasCall) goingOn.push(fact)
    for (const id of own.begunAgain) begunAgain.add(id)
  }
  const begun = turn !== undefined && expanding !== undefined ? waiting.get(expanding) : undefined
  if (begun) {
    // It has already run something, so it is not restarted automatically.
    waiting.delete(begun.promptId)
    bodies.push({
      kind: "command",
      promptId: begun.promptId,
      typed: textOf(begun.content),
      text: halfRun(why),
      isError: true,
    })
  }
  const unfinished = turn !== undefined && unbegun.length > 0 ? { turnId: turn, calls: unbegun } : undefined
  if (turn !== undefined && !unfinished)
    bodies.push({ kind: "turn_end", turnId: turn, reason: "aborted", ...cutOff(why) })
  if (chore === "restore") bodies.push({ kind: "notice", level: "warning", text: halfRestored(why) })
  else if (chore) bodies.push({ kind: "shell", command: chore.command, output: cutShort(why), exitCode: null })
  return {
    bodies,
    undelivered: [...waiting.values()],
    agents: goingOn,
    begunAgain,
    ...optional("unfinished", unfinished),
  }
}

const resultOf = ({
  content,
  isError,
  display,
  data,
}: Outcome): Pick<Outcome, "content" | "isError" | "display" | "data"> => ({
  content,
  isError,
  ...optional("display", display),
  ...optional("data", data),
})

/** Whether it needs nobody: a server works on it, or wants it again without asking anything. */
function goesOn({ use }: OpenCall, { continued }: RepairPorts): boolean {
  const call = continued?.(use.id)
  return call?.type === "task" || (call?.type === "asks" && Object.keys(call.requests).length === 0)
}

const isAnswerable = (callId: string, { asked, canAskAgain }: RepairPorts): boolean =>
  asked(callId) === "answered" || (canAskAgain && asked(callId) === "open")

/** The agents that wait for the user, directly or through their own agents. */
function waitingAmong(agents: Iterable<ChildFact>, ports: RepairPorts): ReadonlyMap<string, Repair> {
  const waiting = new Map<string, Repair>()
  for (const { agentId } of agents) {
    const own = ports.agent(agentId)
    if (own?.unfinished) waiting.set(agentId, own)
  }
  return waiting
}

/** What is known about an interrupted action, judged by the files it said it would change. */
function underWay(files: readonly FileBefore[], { fingerprint, why }: RepairPorts): string {
  const begun = `Interrupted: ${why} while this was running.`
  const seen = files.map(({ path, before }) => ({ path, before, now: fingerprint(path) }))
  if (files.length === 0 || seen.some(({ before, now }) => before === "unknown" || now === "unknown"))
    return `${begun} It may have taken effect in part or in whole; look before you repeat it.`
  const changed = seen.filter(({ before, now }) => before !== now).map(({ path }) => path)
  if (changed.length === 0)
    return `${begun} It did not take effect: ${files.map(({ path }) => path).join(", ")} is as it was before.`
  return `${begun} It took effect: ${changed.join(", ")} has changed since. Read before you change it again.`
}

/** An agent resumes from its own log, which has everything it did. */
const agentLost = ({ agentType, agentId, path }: ChildFact, why: string): string =>
  path === undefined
    ? `Interrupted: ${why} while the ${agentType} agent was at work. Look at what it may have changed before you start it again.`
    : `Interrupted: ${why} while the ${agentType} agent ${agentId} was at work. What it did is kept: Task with resume "${agentId}" continues it.`

/** The end of a turn that was cut off. */
const cutOff = (why: string): { readonly cause: string; readonly message: string } => ({
  cause: "program_ended",
  message: `${capitalized(why)} during this turn.`,
})

const halfRestored = (why: string): string =>
  `${capitalized(why)} while files were being restored: each is complete, but some may not be restored yet. Use /rewind again to restore the rest.`

const cutShort = (why: string): string =>
  `[${capitalized(why)} while this was running; what it printed is not known. It may have taken effect in part or in whole.]`

const halfRun = (why: string): string =>
  `${capitalized(why)} while the commands in it were running; some may have taken effect. Give it again if it is still wanted.`

const notRun = (why: string): string => `Not run: ${why} before this started.`

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
