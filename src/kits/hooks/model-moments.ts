/** Hooks before another model is chosen: they can refuse it, or want it confirmed. */

import type { Dispatcher } from "./dispatch.ts"

export interface ModelMoments {
  /** Why the model must not be chosen; undefined if it may. */
  readonly beforeModelSwitch: (to: string, signal: AbortSignal) => Promise<string | undefined>
}

export function openModelMoments({
  fire,
  has,
  model,
}: Pick<Dispatcher, "fire" | "has"> & { readonly model: () => string }): ModelMoments {
  /** What was asked for last, if a hook wants it confirmed: asking for it again is the confirmation. */
  let asked: string | undefined
  return {
    async beforeModelSwitch(to, signal) {
      const from = model()
      if (!has("PreModelSwitch") || to === from) return undefined
      const isConfirmed = asked === to
      asked = undefined
      const fields = { from_model: from, to_model: to }
      const fired = await fire({ event: "PreModelSwitch", subjects: [to], fields }, signal)
      const reason = fired.reason ?? fired.stop ?? "It gave no reason."
      if (fired.verdict === "deny" || fired.stop !== undefined) return `A hook refuses the model ${to}: ${reason}`
      if (fired.verdict !== "ask" || isConfirmed) return undefined
      asked = to
      return `A hook wants you to confirm the model ${to}: ${reason} Choose it again to confirm.`
    },
  }
}
