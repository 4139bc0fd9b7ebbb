/** A session that the host of background sessions looks after, as it is written to a file. */

import type { PromptOrigin } from "#agent/words/origin.ts"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"

export interface BackgroundJob {
  /** That of the session. */
  readonly id: string
  /** The folder it works in. */
  readonly cwd: string
  /** The flags it was started with. */
  readonly args: { readonly [flag: string]: readonly string[] }
  /** What counts of the folder's files: as in a `TrustAnswer`. */
  readonly trust: "as kept" | "declined" | readonly string[]
  /** That of the shell it was started from, without credentials. */
  readonly env: { readonly [name: string]: string }
  /** The terminal it was started from, for the bell. */
  readonly tty?: string
  /** What it has not been told yet. */
  readonly prompts: readonly JobPrompt[]
  readonly createdAt: number
}

export interface JobPrompt {
  /** The session takes a prompt with this id once. */
  readonly id: string
  readonly text: string
  readonly origin?: PromptOrigin
  /** Sent at this time, not before. */
  readonly notBefore?: number
}

/** Undefined for anything that this program has not written. */
export function decodeJob(text: string): BackgroundJob | undefined {
  const value = objectIn(text)
  if (!value) return undefined
  const { id, cwd, args, trust, env, tty, prompts, createdAt } = value
  if (typeof id !== "string" || typeof cwd !== "string" || typeof createdAt !== "number") return undefined
  if (!isObject(args) || !isObject(env) || trust === undefined || !Array.isArray(prompts)) return undefined
  const jobPrompts = prompts.flatMap((prompt: unknown) => (isObject(prompt) ? (decodePrompt(prompt) ?? []) : []))
  // Written by this program to a private folder of the user.
  return {
    id,
    cwd,
    args: args as BackgroundJob["args"],
    trust: trust as BackgroundJob["trust"],
    env: env as BackgroundJob["env"],
    ...optional("tty", typeof tty === "string" ? tty : undefined),
    prompts: jobPrompts,
    createdAt,
  }
}

function decodePrompt({ id, text, origin, notBefore }: JsonObject): JobPrompt | undefined {
  if (typeof id !== "string" || typeof text !== "string") return undefined
  return {
    id,
    text,
    ...(isObject(origin) && { origin: origin as unknown as PromptOrigin }),
    ...optional("notBefore", typeof notBefore === "number" ? notBefore : undefined),
  }
}
