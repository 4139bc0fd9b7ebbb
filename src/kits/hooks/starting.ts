/** The start and end of a session: the next prompt waits for start hooks, the screen does not. */

import type { Dispatcher, Fired } from "./dispatch.ts"
import type { HookMoment } from "./moments.ts"
import { contextWords, firstPromptWords } from "./words.ts"

export type StartSource = "startup" | "resume" | "clear" | "compact"

export type SetupTrigger = "init" | "maintenance"

export interface Starting {
  readonly begin: (source: StartSource) => void
  readonly isUnderWay: () => boolean
  /** Waits for start hooks; returns why no prompt may be sent, if a required one failed. */
  readonly ready: (signal: AbortSignal) => Promise<string | undefined>
  readonly end: (reason: string) => Promise<void>
  readonly moment: (source: StartSource) => HookMoment
}

export interface StartingPorts extends Dispatcher {
  readonly addContext: (text: string) => void
  readonly name: (title: string) => void
  readonly model: () => string
  /** What the program was started for besides, if so: hooks that prepare or tidy the project run first. */
  readonly setup?: SetupTrigger | undefined
  /** Set in a started agent: it begins and ends with its work, not with a session. */
  readonly agentType?: string | undefined
  readonly session: AbortSignal
  /** Says something as the first prompt. */
  readonly say: (text: string) => void
}

/** Time limit for all hooks together when the session ends. */
export const endingMs = 1_500

export function openStarting(ports: StartingPorts): Starting {
  const { fire, has, agentType } = ports
  const event = agentType === undefined ? "SessionStart" : "SubagentStart"
  let begun: { readonly source: StartSource; readonly fired: Promise<Fired> } | undefined
  let isOpen = false
  /** Whether a prompt already waits: then what hooks would say first goes along with it. */
  let isAwaited = false

  const moment = (source: StartSource): HookMoment => ({
    event,
    subjects: [agentType ?? source],
    fields: agentType === undefined ? { source, model: ports.model() } : {},
  })

  async function ended(reason: string): Promise<void> {
    if (!isOpen || agentType !== undefined || !has("SessionEnd")) return
    const last = { event: "SessionEnd", subjects: [reason], fields: { reason }, mostMs: endingMs } as const
    await fire(last, unending)
  }

  /** Once, before the first start hooks. */
  async function setUp(trigger: SetupTrigger): Promise<void> {
    const fired = await fire({ event: "Setup", subjects: [trigger], fields: { trigger } }, ports.session)
    for (const context of fired.contexts) ports.addContext(contextWords("Setup", context))
  }

  function begin(source: StartSource): void {
    const setup = isOpen || agentType !== undefined || !has("Setup") ? undefined : ports.setup
    const before = source === "clear" ? ended("clear") : setup ? setUp(setup) : Promise.resolve()
    isOpen = true
    if (!has(event) && !setup) return
    isAwaited = false
    begun = { source, fired: before.then(() => fire(moment(source), ports.session)).then(greet) }
  }

  function greet(start: Fired): Fired {
    const { initialPrompt: text, ...rest } = start
    if (text === undefined || isAwaited || ports.session.aborted) return start
    ports.say(text)
    return rest
  }

  return {
    begin,
    moment,
    isUnderWay: () => begun !== undefined,
    async ready(signal) {
      if (!begun) return undefined
      const { source, fired } = begun
      isAwaited = true
      const start = await Promise.race([fired, aborted(signal)])
      if (!start || signal.aborted) return undefined
      begun = undefined
      for (const context of start.contexts) ports.addContext(contextWords(event, context))
      if (start.initialPrompt !== undefined) ports.addContext(firstPromptWords(start.initialPrompt))
      if (start.title !== undefined) ports.name(start.title)
      const why = start.verdict === "deny" ? start.reason : start.stop
      // Retried with the next prompt: until then nothing is sent to the model.
      if (why !== undefined) begin(source)
      return why
    },
    end: ended,
  }
}

/** The end of a session is not interrupted; its time is short enough. */
const unending = new AbortController().signal

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined)
    signal.addEventListener("abort", () => resolve(undefined), { once: true })
  })
