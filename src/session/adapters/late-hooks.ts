/**
 * Hooks of a session whose settings have none: a command or a skill may bring some for its turn. Nothing is loaded
 * until then.
 */

import type { Entry } from "#agent/words/entry.ts"
import type { TurnScope } from "#kits/commands/turn.ts"
import { nothing } from "#kits/hooks/meaning.ts"
import type { HookEvent } from "#kits/hooks/moments.ts"
import { turnHookSources } from "#session/opening/hook-sources.ts"
import type { SessionHooks } from "./hooks.ts"

export interface LateHooksParts {
  readonly scope: Pick<TurnScope, "now">
  readonly isAgent: boolean
  /** `past`: what hooks said before this process. */
  readonly open: (past: readonly HookEntry[]) => Promise<SessionHooks>
}

type HookEntry = Entry & { readonly kind: "hook" }

export function openLateHooks({ scope, isAgent, open }: LateHooksParts): SessionHooks {
  let opened: SessionHooks | undefined
  let opening: Promise<SessionHooks> | undefined
  let wake: (() => void) | undefined
  const past: HookEntry[] = []

  async function start(): Promise<SessionHooks> {
    opened = await open(past)
    if (wake) opened.kit.stirs?.(wake)
    return opened
  }
  /** Undefined while nothing has brought any. */
  const loaded = async (): Promise<SessionHooks | undefined> =>
    opened ?? (scope.now().hooks === undefined ? undefined : await (opening ??= start()))
  const has = (event: HookEvent): boolean =>
    opened
      ? opened.has(event)
      : turnHookSources(scope.now().hooks, isAgent).some(({ hooks }) => Object.hasOwn(hooks, event))

  return {
    has,
    fire: async (moment, signal) => (await loaded())?.fire(moment, signal) ?? { ...nothing, runs: [] },
    settled: async () => opened?.settled(),
    configuration: () => opened?.configuration() ?? { hooks: [], problems: [] },
    // It begins and is set up before anything could bring a hook.
    begin: () => {},
    started: async () => undefined,
    turnBegins: () => opened?.turnBegins(),
    atRest: async (signal) => (await loaded())?.atRest(signal) ?? "end",
    turnFailed: async (end, signal) => (await loaded())?.turnFailed(end, signal),
    stopped: () => opened?.stopped(),
    afterBatch: async (signal) => (await loaded())?.afterBatch(signal),
    flush: () => opened?.flush(),
    guardsPrompts: () => has("UserPromptSubmit"),
    beforePrompt: async (prompt, signal) => (await loaded())?.beforePrompt(prompt, signal),
    beforeExpansion: async (expansion, signal) => (await loaded())?.beforeExpansion(expansion, signal),
    beforeModelSwitch: async (to, signal) => (await loaded())?.beforeModelSwitch(to, signal),
    configChanged: async (changes, signal) => (await loaded())?.configChanged(changes, signal),
    request: async (call, suggestions) => (await loaded())?.request(call, suggestions),
    elicitation: {
      before: async (ask, signal) => (await loaded())?.elicitation.before(ask, signal),
      after: async (ask, answer, signal) => (await loaded())?.elicitation.after(ask, answer, signal) ?? answer,
    },
    compaction: {
      preCompact: async (about, signal) => (await loaded())?.compaction.preCompact(about, signal) ?? {},
      sessionStart: async (source, signal) => (await loaded())?.compaction.sessionStart(source, signal) ?? [],
      postCompact: async (about, signal) => (await loaded())?.compaction.postCompact(about, signal),
    },
    end: async (reason) => opened?.end(reason),
    close: async () => opened?.close(),
    kit: {
      name: "hooks",
      async middleware(call, next) {
        const { middleware } = (await loaded())?.kit ?? {}
        return middleware ? middleware(call, next) : next(call)
      },
      onEntry(entry) {
        if (opened) opened.kit.onEntry?.(entry)
        else if (entry.kind === "hook") past.push(entry)
      },
      attachments: (signal) => opened?.kit.attachments?.(signal) ?? [],
      rest: () => opened?.kit.rest?.() ?? [],
      stirs(how) {
        wake = how
        const unsubscribe = opened?.kit.stirs?.(how)
        return () => {
          wake = undefined
          unsubscribe?.()
        }
      },
    },
  }
}
