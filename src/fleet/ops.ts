/** What may be asked of a session of the fleet from outside: some ops of its port, and a look at what a rewind would do. See decision 110. */

import { reviewActs } from "#agent/words/entry.ts"
import { gateNames } from "#agent/words/gates.ts"
import type { Op } from "#agent/words/op.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { objectIn } from "#lib/json.ts"
import { array, boolean, choice, number, object, type Readable, string, tagged } from "#lib/shape.ts"
import type { Query } from "#session/port/query.ts"

/** Those whose shape is known here: one from a newer version of the program is refused, not guessed. */
export type FleetOp =
  | PortOp<"set_gate" | "rename" | "set_mode" | "set_model" | "set_budget">
  | Pick<PortOp<"interrupt">, "type">
  | Omit<PortOp<"rewind">, "force">
  | Omit<PortOp<"review">, "scope" | "opId">
  | MessageOp
  /** Says what agents changed so far, for the review. */
  | { readonly type: "changes" }
  | PublishOp
  | Extract<Query, { readonly type: "preview" }>

/** Commits what the session did, pushes it as a branch, and opens a pull request if one is wished for. */
export interface PublishOp {
  readonly type: "publish"
  readonly message: string
  readonly branch: string
  readonly pull?: { readonly title: string; readonly body: string; readonly into?: string | undefined } | undefined
}

type PortOp<T extends Op["type"]> = Extract<Op, { readonly type: T }>

/** Never a command: those act on the machine of the worker. Its prompt has the id under which it is queued. */
interface MessageOp extends Pick<PortOp<"prompt">, "type" | "when"> {
  readonly content: readonly ({ readonly type: "text"; readonly text: string } | MessageImage)[]
  readonly as: "text"
}

export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const

export interface MessageImage {
  readonly type: "image"
  readonly source: {
    readonly type: "base64"
    readonly media_type: (typeof imageTypes)[number]
    readonly data: string
  }
}

type OpOf<T extends FleetOp["type"]> = Extract<FleetOp, { readonly type: T }>

/** As shapes type it: a reader leaves out what is not there, and its type does not say so. */
type Loose<T> = T extends object
  ? { readonly [N in keyof T]: Loose<T[N]> | (undefined extends T[N] ? undefined : never) }
  : T

/** `audit`: what the audit says when it is asked. */
const kinds: {
  readonly [T in FleetOp["type"]]: { readonly shape: Readable<Loose<OpOf<T>>>; readonly audit: (op: OpOf<T>) => string }
} = {
  prompt: {
    shape: object({
      type: choice(["prompt"]),
      content: array(
        tagged("type", {
          text: { text: string() },
          image: {
            source: object({ type: choice(["base64"]), media_type: choice(imageTypes), data: string() }),
          },
        }),
      ),
      when: choice(["steer", "queue"]),
      as: choice(["text"]),
    }),
    audit: () => "message sent",
  },
  interrupt: { shape: object({ type: choice(["interrupt"]) }), audit: () => "interrupted" },
  rewind: {
    shape: object({
      type: choice(["rewind"]),
      promptId: string(),
      what: choice(["files", "conversation", "both"]),
    }),
    audit: () => "rewind asked for",
  },
  review: {
    shape: object({ type: choice(["review"]), act: choice(reviewActs), hunks: array(string()) }),
    audit: ({ act, hunks }) => `${hunks.length === 1 ? "1 change" : `${hunks.length} changes`} to ${act}`,
  },
  publish: {
    shape: object({
      type: choice(["publish"]),
      message: string(),
      branch: string(),
      pull: object({ title: string(), body: string(), into: string().optional() }).optional(),
    }),
    audit: ({ branch, pull }) => `branch ${branch} to be pushed${pull ? ", with a pull request" : ""}`,
  },
  changes: { shape: object({ type: choice(["changes"]) }), audit: () => "changes looked at" },
  preview: {
    shape: object({ type: choice(["preview"]), promptId: string() }),
    audit: () => "rewind previewed",
  },
  set_gate: {
    shape: object({
      type: choice(["set_gate"]),
      gate: choice(gateNames),
      on: boolean(),
      by: string().optional(),
      limits: choice(["session"]).optional(),
    }),
    audit: ({ gate, on }) => `gate ${gate} to be switched ${on ? "on" : "off"}`,
  },
  rename: { shape: object({ type: choice(["rename"]), title: string() }), audit: () => "rename asked for" },
  set_mode: {
    shape: object({ type: choice(["set_mode"]), mode: choice(permissionModes) }),
    audit: ({ mode }) => `mode ${mode} asked for`,
  },
  set_model: {
    shape: object({ type: choice(["set_model"]), model: string() }),
    audit: ({ model }) => `model ${model} asked for`,
  },
  set_budget: {
    shape: object({
      type: choice(["set_budget"]),
      budget: object({ usd: number().optional(), tokens: number().optional() }),
    }),
    audit: ({ budget: { usd } }) => (usd === undefined ? "budget to be lifted" : `budget of $${usd} asked for`),
  },
}

export const messageOp = (text: string, images: readonly MessageImage[] = []): FleetOp => ({
  type: "prompt",
  content: [{ type: "text", text }, ...images],
  when: "steer",
  as: "text",
})

/** Undefined for anything that is not such an op. */
export function opIn(text: string): FleetOp | undefined {
  const fields = objectIn(text)
  const type = fleetOps.find((each) => each === fields?.["type"])
  const read = type && kinds[type].shape.read(fields, "")
  return read?.ok ? (read.value as FleetOp) : undefined
}

const fleetOps = Object.keys(kinds) as readonly FleetOp["type"][]

/** Each kind is about its own ops. */
export const auditWords = (op: FleetOp): string => (kinds[op.type].audit as (op: FleetOp) => string)(op)
