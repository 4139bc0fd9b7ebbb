/** Background work when a run has its answer: waited for within limits, then ended. Either way the result names it. */

import type { Event } from "#agent/words/event.ts"
import type { Clock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import type { Session } from "#session/port/session.ts"
import { hasNewsForLead, memberAgents, restingMembers } from "#session/port/team-rest.ts"

/** In milliseconds; `Infinity` for no limit. */
export interface BackgroundWait {
  readonly agentsMs: number
  /** Shorter, because a command in the background may be a server that never ends. */
  readonly commandsMs: number
}

export const usualWait: BackgroundWait = { agentsMs: 600_000, commandsMs: 5_000 }

/** In the words of clients. */
export interface BackgroundTask {
  readonly task_id: string
  readonly task_type: "local_agent" | "local_bash"
  readonly description: string
  /** `stopped`: it was ended, usually because the limit was reached. */
  readonly status: "running" | "completed" | "failed" | "stopped"
}

type Port = Pick<Session, "ask" | "submit" | "events">

export interface BackgroundTasks {
  /** To be called when a turn has ended. Gives whether another one has begun, because the model has news to hear. */
  readonly wait: () => Promise<boolean>
  /** Ends what still runs, and waits until it has. */
  readonly end: () => Promise<void>
  /** Waits for what still runs, as long as that may take; the model hears nothing of it. */
  readonly drain: () => Promise<void>
  /** What outlived a turn, and what became of it by the end of the run. */
  readonly tasks: () => Promise<readonly BackgroundTask[]>
  /** What runs now, or has ended since the last look. */
  readonly list: () => Promise<readonly BackgroundTask[]>
}

/** Background work outlives a turn but not a session. */
export const stopWords = ({ task_id, task_type, description }: BackgroundTask): string =>
  `Stopping a background ${task_type === "local_agent" ? "agent" : "command"} that is still running: ${task_id}, ${forConsent(description)}`

/** `onStop` hears of what is ended because a limit was reached. */
export function openBackgroundTasks(parts: {
  readonly session: Port
  readonly limits: BackgroundWait
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onStop: (task: BackgroundTask) => void
}): BackgroundTasks {
  const { session, limits, clock, signal } = parts
  const outlived = new Set<string>()
  const seenEnded = new Set<string>()
  let since: number | undefined

  async function running(): Promise<readonly BackgroundTask[]> {
    // The team first: a resumed one may still be starting its members.
    const resting = await restingMembers(session)
    const all = await tasksIn(session)
    const tasks = all.filter(({ status }) => status === "running")
    for (const { task_id } of tasks) outlived.add(task_id)
    return tasks.filter(({ task_id }) => !resting.has(task_id))
  }

  async function untilNews(
    events: AsyncIterator<Event>,
    tasks: readonly BackgroundTask[],
  ): Promise<"news" | "team" | "turn" | "over"> {
    const from = (since ??= clock.now())
    let next = events.next()
    for (;;) {
      const left = longest(tasks, limits) - (clock.now() - from)
      if (left <= 0 || signal.aborted) return "over"
      const heard = await within(left, next, clock, signal)
      if (heard === "late" || heard.done) return "over"
      // A session that someone may still talk to wakes by itself.
      if (isTurnStart(heard.value)) return "turn"
      if (isEnd(heard.value)) return "news"
      if (heard.value.type === "team_change") return "team"
      next = events.next()
    }
  }

  async function stop(task: BackgroundTask): Promise<void> {
    const { task_id, task_type } = task
    parts.onStop(task)
    await session.submit(
      task_type === "local_agent"
        ? { type: "stop_agent", agentId: task_id }
        : { type: "stop_command", commandId: task_id },
    )
  }

  async function end(): Promise<void> {
    // A signal ends the run, not the team: its members close with the session, and go on when it is resumed.
    const members = signal.aborted ? await memberAgents(session) : new Set()
    await Promise.all((await running()).filter(({ task_id }) => !members.has(task_id)).map(stop))
    // What it still spends belongs to the run.
    await settle(stopMs)
  }

  /** Until nothing runs any more. */
  async function settle(mostMs: number): Promise<void> {
    const from = clock.now()
    while (!signal.aborted && clock.now() - from < mostMs && (await running()).length > 0)
      await clock.sleep(pollMs, signal)
  }

  return {
    async wait() {
      for (;;) {
        const events = session.events("now")[Symbol.asyncIterator]()
        try {
          const [tasks, isLeadTold] = await Promise.all([running(), hasNewsForLead(session)])
          if (isLeadTold && (await wakeLead(session))) return true
          // What has just ended may be news that nobody has told yet.
          if (tasks.length === 0 && !isLeadTold) return outlived.size > 0 && (await wake(session, events))
          const heard = await untilNews(events, tasks)
          if (heard === "turn") return true
          if (heard === "team") continue
          if (heard === "over") {
            await end()
            return false
          }
          if (await wake(session, events)) return true
        } finally {
          // Not awaited: it ends with the next event, and that may never come.
          void events.return?.()
        }
      }
    },
    async list() {
      await running()
      const all = outlived.size === 0 ? [] : await tasksIn(session)
      const news = all.filter(({ task_id }) => outlived.has(task_id) && !seenEnded.has(task_id))
      for (const { task_id, status } of news) if (status !== "running") seenEnded.add(task_id)
      return news
    },
    end,
    async drain() {
      await settle(longest(await running(), limits))
      await end()
    },
    async tasks() {
      if (outlived.size === 0) return []
      // The team first: a resumed one may still be starting its members.
      const resting = await restingMembers(session)
      const all = await tasksIn(session)
      // What was stopped may take a moment to end. Members that have nothing left to do are not stopped.
      return all
        .filter(({ task_id }) => outlived.has(task_id) && !seenEnded.has(task_id))
        .map((task) =>
          task.status === "running" ? { ...task, status: resting.has(task.task_id) ? "completed" : "stopped" } : task,
        )
    },
  }
}

/** Has the model told the news. Gives whether a turn has begun. */
async function wake(session: Port, events: AsyncIterator<Event>): Promise<boolean> {
  await session.submit({ type: "wake" })
  const begun = (async () => {
    for (let heard = await events.next(); !heard.done; heard = await events.next())
      if (isTurnStart(heard.value)) return true
    return false
  })()
  // While a turn runs, this is answered only at its end.
  const idle = session.ask({ type: "settled" }).then(() => false)
  return Promise.race([begun, idle])
}

/** For mail that arrived. It may not be seen yet where it is told, so whoever waits goes on listening. */
async function wakeLead(session: Port): Promise<boolean> {
  const events = session.events("now")[Symbol.asyncIterator]()
  const begun = await wake(session, events)
  void events.return?.()
  return begun
}

/** All that ran in the background in this session, agents first. */
async function tasksIn({ ask }: Pick<Session, "ask">): Promise<readonly BackgroundTask[]> {
  const [agents, commands] = await Promise.all([ask({ type: "agents" }), ask({ type: "background", which: "all" })])
  return [
    ...agents.flatMap(({ fact, idle }): BackgroundTask[] => {
      if (fact.state === "started") return []
      // A member of a team with nothing to do has done its part.
      const status = fact.state === "background" ? (idle ? "completed" : "running") : agentEnds[fact.end ?? "failed"]
      return [{ task_id: fact.agentId, task_type: "local_agent", description: fact.description, status }]
    }),
    ...commands.map(({ id, command, end }): BackgroundTask => {
      const status = end === undefined ? "running" : commandEnds[end.status]
      return { task_id: id, task_type: "local_bash", description: command, status }
    }),
  ]
}

const agentEnds = { completed: "completed", failed: "failed", stopped: "stopped", lost: "failed" } as const
const commandEnds = { completed: "completed", failed: "failed", killed: "stopped" } as const

/** In milliseconds, for whatever may run longest; mail that the lead is about to hear of is waited for like an agent. */
function longest(tasks: readonly BackgroundTask[], { agentsMs, commandsMs }: BackgroundWait): number {
  if (tasks.length === 0) return agentsMs
  return Math.max(...tasks.map(({ task_type }) => (task_type === "local_agent" ? agentsMs : commandsMs)))
}

/** The end of an agent or a command of the session itself, not of one of its agents; or news of its team. */
const isEnd = (event: Event): boolean =>
  event.type === "team_change" ||
  event.type === "background_end" ||
  (event.type === "entry" && event.entry.kind === "child" && event.entry.state === "ended")

const isTurnStart = (event: Event): boolean => event.type === "entry" && event.entry.kind === "turn_start"

/** What is stopped may finish its step. */
const stopMs = 10_000
const pollMs = 50

/** A timer takes no more than this. */
const mostMs = 2 ** 31 - 1

async function within<T>(ms: number, next: Promise<T>, clock: Clock, signal: AbortSignal): Promise<T | "late"> {
  const over = new AbortController()
  const late = clock.sleep(Math.min(ms, mostMs), AbortSignal.any([over.signal, signal])).then(() => "late" as const)
  const first = await Promise.race([next, late])
  over.abort()
  return first
}
