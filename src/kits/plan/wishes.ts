/** Wishes for commands in a plan: what each means, and the rules that granting them gives. */

import type { PermissionMode } from "#agent/words/permission.ts"
import { findMeaning } from "./meanings.ts"
import type { Meaning, PlanPorts } from "./ports.ts"

export interface Wish {
  readonly prompt: string
  readonly meaning: Meaning | undefined
}

export interface WishPorts extends Pick<PlanPorts, "canGrant" | "classify"> {
  readonly agent: "main" | "sub"
  readonly modeBefore: () => PermissionMode
}

/** Each wish once, with its meaning if known. */
export const wishesFor = (
  prompts: readonly string[],
  ports: WishPorts,
  signal: AbortSignal,
): Promise<readonly Wish[]> => Promise.all([...new Set(prompts)].map((prompt) => wishFor(prompt, ports, signal)))

async function wishFor(prompt: string, ports: WishPorts, signal: AbortSignal): Promise<Wish> {
  if (!ports.canGrant || ports.agent === "sub") return { prompt, meaning: undefined }
  const known = findMeaning(prompt)
  // If no model judged calls before planning, none judges this either.
  if (known || ports.modeBefore() !== "auto") return { prompt, meaning: known }
  return { prompt, meaning: await ports.classify?.(prompt, signal) }
}

/** The rules of the granted wishes; a wish that was not made grants nothing. */
export const rulesOf = (wishes: readonly Wish[], granted: readonly string[]): readonly string[] => [
  ...new Set(wishes.flatMap(({ prompt, meaning }) => (granted.includes(prompt) ? (meaning?.rules ?? []) : []))),
]

export const grantedOf = (wishes: readonly Wish[], granted: readonly string[]): readonly string[] =>
  wishes.flatMap(({ prompt, meaning }) => (meaning && granted.includes(prompt) ? [prompt] : []))
