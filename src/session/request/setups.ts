/**
 * What requests of a session and its agents begin with. Agents of one kind begin alike: they get the same value, so that
 * what is worked out from it, here and where it is sent, is worked out once.
 */

import type { Request } from "#agent/words/model.ts"
import { textWeight, type Weight } from "#agent/words/weight.ts"
import { lazily } from "#lib/lazily.ts"

export type SetupValue = Pick<Request, "system" | "tools">

export interface Setups {
  /** The first value with this content; it stays as it is. */
  readonly shared: (value: SetupValue) => SetupValue
  readonly isSame: (a: SetupValue, b: SetupValue) => boolean
  readonly weightOf: (value: SetupValue) => Weight
}

interface KnownSetup {
  readonly value: SetupValue
  readonly weight: () => Weight
}

/** Kinds of agents that work at the same time. */
const mostKept = 8

export function openSetups(): Setups {
  /** The latest first. */
  let kept: readonly KnownSetup[] = []
  const byTools = new WeakMap<SetupValue["tools"], KnownSetup>()

  const knownOf = (value: SetupValue): KnownSetup => {
    const known = byTools.get(value.tools)
    if (known?.value.system === value.system) return known
    const made = about(value)
    byTools.set(value.tools, made)
    return made
  }

  return {
    shared(value) {
      const known = kept.find((each) => isSame(each.value, value)) ?? knownOf(value)
      if (kept[0] !== known) kept = [known, ...kept.filter((each) => each !== known)].slice(0, mostKept)
      return known.value
    },
    isSame,
    weightOf: (value) => knownOf(value).weight(),
  }
}

/** Comparing takes less time than writing both as text. */
const isSame = (a: SetupValue, b: SetupValue): boolean =>
  a.tools.length === b.tools.length && Bun.deepEquals(a.system, b.system) && Bun.deepEquals(a.tools, b.tools)

const about = (value: SetupValue): KnownSetup => ({ value, weight: lazily(() => weigh(value)) })

export const digestOfText = (text: string): string => Bun.SHA256.hash(text, "hex").slice(0, 32)

/** Deferred tools are not in context, so they weigh nothing. */
function weigh({ system, tools }: SetupValue): Weight {
  const listed = tools.filter(({ deferred }) => !deferred)
  return textWeight([...system.map((part) => part.text), JSON.stringify(listed)].join("\n"))
}
