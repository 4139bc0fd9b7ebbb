/** How an attempt may fail, each in words the user understands. */

import type { AttemptFailure } from "./attempt.ts"
import { optional } from "#lib/optional.ts"
import { refusalFailure, understand, type HttpRefusal, type Voice } from "./failure.ts"
import { statusOfName } from "./outcomes.ts"
import type { StreamWatch } from "./watch.ts"
import type { DecodeStatus } from "./format.ts"
import type { WireFailure } from "./wire.ts"

/** What was emitted of an answer before it failed: content must never appear twice. */
export type Shown = "nothing" | "content"

export const abortedFailure: AttemptFailure = {
  type: "failed",
  failure: { kind: "aborted", message: "Interrupted." },
  again: false,
}

/** Something is wrong locally; nothing was sent, and a retry would not help. */
export const unusableFailure = (why: string): AttemptFailure => ({
  type: "failed",
  failure: { kind: "rejected", message: `The request could not be sent: ${why.replace(/\.$/, "")}.` },
  again: false,
})

export const keyFailure = (why: string, { noKey }: Voice): AttemptFailure => ({
  type: "failed",
  failure: {
    kind: "unauthorized",
    message:
      noKey?.(why) ??
      `No key could be read: ${why.replace(/\.$/, "")}. Check the command in the setting apiKeyHelper, or remove it to use another key.`,
  },
  again: false,
})

/** Such as one that was copied with its three dots. */
export function unsendableKey({ key }: Voice): AttemptFailure {
  const { which, advice } = key()
  const message = `${which} was not sent, because it has characters that no key has. ${advice}`
  return { type: "failed", failure: { kind: "unauthorized", message }, again: false }
}

export function unsentFailure(failure: WireFailure, watch: StreamWatch, voice: Voice, now: number): AttemptFailure {
  switch (failure.kind) {
    case "refused":
      return refusalFailure({ ...failure.refusal, voice }, now)
    case "unreachable":
      return { ...unreachable(voice, failure.why), again: !failure.lasting }
    case "aborted": {
      const limit = watch.ranOut()
      return limit === undefined
        ? abortedFailure
        : unreachable(voice, `no answer began within ${Math.round(limit / 1000)} s`, limit)
    }
  }
}

const unreachable = ({ who }: Voice, why: string, silentMs?: number): AttemptFailure => ({
  type: "failed",
  failure: { kind: "unreachable", message: `${who} could not be reached: ${why}.`, ...optional("silentMs", silentMs) },
  again: true,
})

/**
 * The answer broke off or cannot be trusted. Before content the request can be repeated; after content only the step
 * can.
 */
export function cutOff(shown: Shown, kind: "server" | "unreachable", { who }: Voice, why: string): AttemptFailure {
  const message = `The answer from ${who} broke off: ${why}.`
  return shown === "content"
    ? { type: "failed", failure: { kind: "broken", message }, again: false }
    : { type: "failed", failure: { kind, message }, again: true }
}

/** The provider reported an error inside an answer that had started well: it counts like the status it names. */
export function errorFailure(
  shown: Shown,
  { type, message, status = statusOfName(type), ...said }: Extract<DecodeStatus, { readonly kind: "refused" }>,
  voice: Voice,
  now: number,
): AttemptFailure {
  const { kind: _kind, ...rest } = said
  const refusal: HttpRefusal = { status, names: [type], message, ...rest, headers: noHeaders, voice }
  return shown === "content"
    ? { type: "failed", failure: understand(refusal), again: false }
    : refusalFailure(refusal, now)
}

const noHeaders = { get: () => null }
