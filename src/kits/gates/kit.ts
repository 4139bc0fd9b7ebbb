/** The gates of a session: what is said about them, and the layers that note what happened and have new files reviewed. */

import { onlyReading } from "#agent/words/boundary.ts"
import { closed, type Gates, type TestState } from "#agent/words/gates.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Call, Middleware } from "#agent/words/middleware.ts"
import type { Answer } from "#agent/words/question.ts"
import type { AnyTool, Outcome } from "#agent/words/tool.ts"
import { confirmTaskTool } from "./confirm-task.ts"
import { beginning, foldProgress, reminderNames } from "./progress.ts"
import { watchRepository } from "./repository.ts"
import { openReview, type ReviewPorts } from "./review.ts"
import { type GateRoom, isClarifying, type NoteGate } from "./room.ts"
import { clarifyWords, rulesWords, switchedWords, taskWords, testsWords, unclearWords } from "./words.ts"

export interface GatePorts extends Omit<ReviewPorts, "seenAbove" | "isOn"> {
  readonly agent: "main" | "sub"
  /** Absent for the main agent, which makes it. */
  readonly room: GateRoom | undefined
  /** Those that are on now. */
  readonly gates: () => Gates
  readonly note: NoteGate
  /** Has the log say plan mode where the plan gate is closed, so that an approval leaves it like any other. */
  readonly recordPlanMode: () => void
  /** Where branches and tags point now; undefined if that is not known. */
  readonly refs: () => ReadonlyMap<string, string> | undefined
  /** Which of the files that a call changes are tests; absent where tests need not come first. */
  readonly inspect: (call: Call) => Promise<TestEvidence>
}

export interface TestEvidence {
  readonly tests: readonly string[]
  readonly others: readonly string[]
  /** It runs tests and nothing else. */
  readonly isTestRun: boolean
}

export interface GatesKit extends Kit {
  readonly room: GateRoom
  /** Tools that are needed since a gate was switched on. */
  readonly joined: () => readonly AnyTool[]
  /** Inside the permissions: sees calls as they run. */
  readonly watch: Kit
  /** Told of every answer to what the main agent asks. */
  readonly answered: (answer: Answer) => void
}

export function gatesKit(ports: GatePorts): GatesKit {
  let progress = beginning
  let isUnanswered = false
  const review = openReview({
    ...ports,
    isOn: () => (ports.room?.gates ?? ports.gates()).files === true,
    seenAbove: (callId) => ports.room?.seen(callId),
  })
  const room: GateRoom = ports.room ?? {
    get gates() {
      return ports.gates()
    },
    progress: () => progress,
    note: ports.note,
    isUnanswered: () => isUnanswered,
    seen: (callId) => review.seen(callId),
  }
  const isMain = ports.agent === "main"
  const confirming = isMain ? [confirmTaskTool(room)] : []
  const isNeeded = (): boolean => room.gates.clarify === true
  const isListed = isNeeded()
  return {
    name: "gates",
    room,
    ...(isListed && { tools: confirming }),
    joined: () => (isListed || !isNeeded() ? none : confirming),
    answered(answer) {
      if (isClarifying(room) && answer.kind === "unanswered") isUnanswered = true
    },
    middleware: review.middleware,
    onEntry: review.onEntry,
    watch: watchKit(room, ports),
    ...(isMain && {
      conversation: {
        reset: () => void (progress = beginning),
        onEntry: (entry) => void (progress = foldProgress(progress, entry)),
      },
      attachments() {
        ports.recordPlanMode()
        return reminders(room)
      },
      rest: () => atRest(room),
    }),
  }
}

/** Both see the call as it runs. */
function watchKit(room: GateRoom, ports: GatePorts): Kit {
  const repository = watchRepository(ports)
  const tests = watchTests(room, ports)
  return {
    name: "gates watch",
    onEntry: repository.onEntry,
    middleware(call, next) {
      const { testFirst, git } = room.gates
      const inside: typeof next = testFirst ? (inner) => tests(inner, next) : next
      return git ? repository.middleware(call, inside) : inside(call)
    },
  }
}

const none: readonly AnyTool[] = []

function reminders(room: GateRoom): readonly Attachment[] {
  const { told, clarified, introduced } = room.progress()
  const { gates } = room
  const now = closed(gates)
  if (now.length === 0 && introduced === undefined) return []
  const rules = introduced === undefined ? rulesWords(gates) : switchedWords(introduced, now)
  const about = rules === "" ? [] : [{ name: reminderNames.rules, text: rules, data: { gates: [...now] } }]
  return [...about, ...aboutTask(room, told, clarified)]
}

function aboutTask(
  room: GateRoom,
  sentReminders: readonly string[],
  clarified: string | undefined,
): readonly Attachment[] {
  const isTold = (name: string): boolean => sentReminders.includes(name)
  if (isClarifying(room))
    return isTold(reminderNames.clarify) ? [] : [{ name: reminderNames.clarify, text: clarifyWords }]
  // What was said at the beginning may be summarized by now, and the task must not be.
  const isForgotten = sentReminders.length === 0 && room.gates.clarify === true && clarified !== undefined
  return isForgotten ? [{ name: reminderNames.clarified, text: taskWords(clarified) }] : []
}

/** The end is sent back once in a turn. */
function atRest(room: GateRoom): readonly Attachment[] {
  const { told, tests, asked } = room.progress()
  if (isClarifying(room))
    return asked === "open" || told.includes(reminderNames.unclear)
      ? []
      : [{ name: reminderNames.unclear, text: unclearWords }]
  const isUnproved = room.gates.testFirst === true && (tests === "failing" || tests === "changed")
  if (!isUnproved || told.includes(reminderNames.tests)) return []
  const about = tests === "changed" ? "and after that something was changed" : "and nothing was changed after that"
  return [{ name: reminderNames.tests, text: testsWords(about) }]
}

function watchTests(room: GateRoom, { inspect }: Pick<GatePorts, "inspect">): Middleware {
  return async (call, next) => {
    if (onlyReading(call.boundary)) return next(call)
    const { tests, others, isTestRun } = await inspect(call)
    const outcome = await next(call)
    const state = room.progress().tests
    const note = (to: TestState, about: string): void => {
      if (to !== room.progress().tests) room.note({ gate: "testFirst", state: to, about })
    }
    if (isTestRun) {
      const code = exitOf(outcome)
      if (code === 0 && (state === "failing" || state === "changed")) note("passing", call.tool.title(call.parsed))
      if (code !== undefined && code !== 0 && state === "written") note("failing", call.tool.title(call.parsed))
      return outcome
    }
    if (outcome.isError) return outcome
    const [test] = tests
    const [other] = others
    if (other !== undefined && state !== undefined && state !== "written") note("changed", other)
    else if (test !== undefined && state === undefined) note("written", test)
    return outcome
  }
}

/** Undefined if it did not end, or ended in another way than by itself. */
function exitOf({ display, interrupted, denied }: Outcome): number | undefined {
  if (interrupted || denied || display?.kind !== "terminal") return undefined
  return display.exitCode ?? undefined
}
