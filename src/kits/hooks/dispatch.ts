/** The hook dispatcher: all hooks of a moment run in parallel, each run is recorded, and their answers are combined. See decision 26. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ConfiguredHook } from "./config.ts"
import { fold, type Folded, type HookStatement } from "./fold.ts"
import { type Meaning, nothing, type HookResult } from "./meaning.ts"
import { type HookMemory, saidOf } from "./memory.ts"
import { factsOf, type HookedCall, type HookEvent, type HookMoment } from "./moments.ts"
import { meaningOf } from "./outcome.ts"
import { type Running, type RunPorts, startHook } from "./run.ts"
import type { HookWatch } from "./watch.ts"

export type HookBody = Extract<EntryBody, { readonly kind: "hook" }>

export interface DispatchPorts extends RunPorts {
  /** Those that count now: a command or a skill brings some for its turn. */
  readonly hooks: () => readonly ConfiguredHook[]
  /** Fields of every input: the session, its log, its folder, and the mode where the event has one. */
  readonly common: (event: HookEvent) => JsonObject
  readonly isAbout: (rule: string, call: HookedCall) => Promise<boolean>
  readonly record: (body: Extract<EntryBody, { readonly kind: "hook" | "notice" }>) => void
  /** Called with the status messages of the hooks that are waited for, whenever they change. */
  readonly showStatus?: (texts: readonly string[]) => void
  /** Called when a hook starts to run, for those who follow it. */
  readonly watch?: (hook: ConfiguredHook, moment: HookMoment) => HookWatch
  /** Called with the answer of a hook that was not waited for. */
  readonly onLateAnswer: (meaning: Meaning, hook: ConfiguredHook) => void
  readonly clock: Clock
  /** Ends hooks that are not waited for. */
  readonly session: AbortSignal
  /** Answers from before a resume count. */
  readonly recall: HookMemory["recall"]
}

export interface Fired extends Folded {
  /** In the order of the configuration. */
  readonly runs: readonly HookBody[]
}

export interface Dispatcher {
  readonly fire: (moment: HookMoment, signal: AbortSignal) => Promise<Fired>
  /** Whether any hook is configured for an event: otherwise nothing is prepared for it. */
  readonly has: (event: HookEvent) => boolean
  /** Resolves when no hook runs any more that was not waited for. */
  readonly settled: () => Promise<void>
}

const nobody: Fired = { ...nothing, runs: [] }

export function openDispatcher(ports: DispatchPorts): Dispatcher {
  const { clock, record } = ports
  const done = new Set<number>()
  const late = new Set<Promise<void>>()
  const reportedTexts = new Set<string>()
  let statuses: readonly { readonly text: string }[] = []

  async function fire(raised: HookMoment, signal: AbortSignal): Promise<Fired> {
    if (signal.aborted) return nobody
    const chosen = await hooksFor(raised)
    if (chosen.length === 0) return nobody
    const common = ports.common(raised.event)
    const moment: HookMoment = { ...raised, ...(typeof common.cwd === "string" && { cwd: common.cwd }) }
    const input = { ...common, hook_event_name: moment.event, ...moment.fields }
    const runs = await Promise.all(
      chosen.map((hook) => {
        const meaning = ports.recall(hook, moment)
        return meaning ? { hook, said: saidBy(hook, meaning), body: undefined } : runOne(hook, moment, input, signal)
      }),
    )
    // A decision is in the log before it takes effect.
    for (const { body } of runs) if (body) record(body)
    for (const { said, hook, body } of runs) if (body) recordNotices(said.meaning, hook)
    return { ...fold(runs.map(({ said }) => said)), runs: runs.flatMap(({ body }) => body ?? []) }
  }

  async function hooksFor({ event, subjects = [], call }: HookMoment): Promise<readonly ConfiguredHook[]> {
    const named = ports
      .hooks()
      .filter(
        (hook) =>
          hook.event === event &&
          !done.has(hook.order) &&
          (factsOf(event).matches === undefined || hook.matches(subjects)),
      )
    const fitting = named.every(({ rule }) => rule === undefined) ? named : await aboutCall(named, call, ports.isAbout)
    for (const { once, order } of fitting) if (once) done.add(order)
    return withoutTwins(fitting)
  }

  interface OneRun {
    readonly hook: ConfiguredHook
    readonly said: HookStatement
    /** Undefined if it was not waited for. */
    readonly body: HookBody | undefined
  }

  async function runOne(
    hook: ConfiguredHook,
    moment: HookMoment,
    input: JsonObject,
    signal: AbortSignal,
  ): Promise<OneRun> {
    const startedAt = clock.now()
    const timeoutMs = Math.min(hook.timeoutMs, moment.mostMs ?? hook.timeoutMs)
    const watch = ports.watch?.(hook, moment)
    const running = startHook(ports, hook, input, {
      timeoutMs,
      signal: hook.isAsync ? ports.session : signal,
      onOutput: watch?.printed,
    })
    const finish = (ran: HookResult): OneRun => {
      watch?.ended(ran)
      const meaning = demanded(hook, meaningOf(hook.event, ran), ran.kind === "failed" && ran.isLate === true)
      return { hook, said: saidBy(hook, meaning), body: bodyOf(hook, moment, ran, meaning, clock.now() - startedAt) }
    }
    const goesOn = hook.isAsync ? {} : await showing(hook, leaves(hook, running))
    if (!goesOn) return finish(await running.ended)
    running.letGo(goesOn.timeoutMs ?? hook.timeoutMs, ports.session)
    const ending = running.ended.then((ran) => {
      late.delete(ending)
      const { body, said } = finish(ran)
      // Its decision comes too late to count.
      if (body) record({ ...withoutDecision(body), late: true })
      recordNotices(said.meaning, hook)
      ports.onLateAnswer(said.meaning, hook)
    })
    late.add(ending)
    return { hook, said: saidBy(hook, nothing), body: undefined }
  }

  /** Shows its status message until the promise is settled. */
  async function showing<T>({ status }: ConfiguredHook, until: Promise<T>): Promise<T> {
    if (status === undefined || !ports.showStatus) return until
    const shown = { text: status }
    show([...statuses, shown])
    try {
      return await until
    } finally {
      show(statuses.filter((one) => one !== shown))
    }
  }

  function show(next: typeof statuses): void {
    statuses = next
    ports.showStatus?.(statuses.map(({ text }) => text))
  }

  function recordNotices({ says, failure, complaints, warnings = [] }: Meaning, hook: ConfiguredHook): void {
    for (const text of hook.isQuiet ? [] : says)
      record({ kind: "notice", level: "info", text: `${hook.event} hook (${hook.name}): ${text}` })
    for (const why of [...(failure === undefined ? [] : [failure]), ...complaints, ...warnings]) {
      const text = `The ${hook.event} hook "${hook.name}" (${hook.file}) did not work as it should: ${why.replace(/\.$/, "")}.`
      // A hook that fails at every call is reported once.
      if (reportedTexts.has(text)) continue
      reportedTexts.add(text)
      record({ kind: "notice", level: "warning", text })
    }
  }

  return {
    fire,
    settled: async () => void (await Promise.all(late)),
    has: (event) => ports.hooks().some((hook) => hook.event === event && !done.has(hook.order)),
  }
}

async function aboutCall(
  hooks: readonly ConfiguredHook[],
  call: HookedCall | undefined,
  isAbout: DispatchPorts["isAbout"],
): Promise<readonly ConfiguredHook[]> {
  const fits = await Promise.all(
    hooks.map(async ({ rule }) => rule === undefined || (call !== undefined && (await isAbout(rule, call)))),
  )
  return hooks.filter((_, index) => fits[index])
}

/** Whether it said that it continues in the background; a required hook is waited for regardless. */
const leaves = ({ required }: ConfiguredHook, { ended, goesOn }: Running): Running["goesOn"] =>
  required ? ended.then(() => undefined) : Promise.race([ended.then(() => undefined), goesOn])

const saidBy = ({ name, order }: ConfiguredHook, meaning: Meaning): HookStatement => ({ name, order, meaning })

/** A required hook that fails counts as a denial. */
function demanded(hook: ConfiguredHook, meaning: Meaning, isLate: boolean): Meaning {
  const isRequired = hook.required || (isLate && hook.inTime === true)
  if (!isRequired || meaning.verdict === "deny") return meaning
  const [unclear] = meaning.complaints
  const failure = meaning.failure ?? (unclear === undefined ? undefined : `its answer is not clear: ${unclear}`)
  if (failure === undefined) return meaning
  return { ...meaning, verdict: "deny", reason: `The hook "${hook.name}" is required, and ${failure}.` }
}

/** Identical hooks run once; the merged one is required, or waited for, if any of them is. */
function withoutTwins(hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
  const first = new Map<string, ConfiguredHook>()
  for (const hook of hooks) {
    // The same line means another program in another plugin.
    const key = JSON.stringify([hook.work, hook.plugin?.root])
    const twin = first.get(key)
    first.set(key, twin ? together(twin, hook) : hook)
  }
  return [...first.values()]
}

const together = (twin: ConfiguredHook, other: ConfiguredHook): ConfiguredHook => ({
  ...twin,
  required: twin.required || other.required,
  isAsync: twin.isAsync && other.isAsync,
})

function bodyOf(hook: ConfiguredHook, moment: HookMoment, ran: HookResult, meaning: Meaning, ms: number): HookBody {
  const { event, matcher, name, source } = hook
  const { verdict, failure } = meaning
  const { call, promptId } = moment
  return {
    kind: "hook",
    event,
    matcher,
    name,
    source,
    exit: ran.kind === "exited" ? ran.exit : null,
    ms,
    ...optional("decision", verdict),
    ...optional("failure", failure),
    ...optional("callId", call?.callId),
    ...optional("promptId", promptId),
    ...optional("said", saidOf(hook, moment, meaning)),
  }
}

const withoutDecision = ({ decision: _decision, ...body }: HookBody): HookBody => body
