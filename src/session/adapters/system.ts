/** The system prompt of a session, for the tools and servers available when it is made. */

import type { Guidance } from "#agent/words/kit.ts"
import type { SystemPart } from "#agent/words/model.ts"
import type { Answerer } from "#agent/words/question.ts"
import { type Environment, environmentPart, systemPrompt, type SystemOptions } from "#kits/context/system.ts"
import { optional } from "#lib/optional.ts"
import type { Ground } from "./ground.ts"
import type { SessionPlace, SystemChoice } from "#session/opening/options.ts"

export interface SystemParts {
  readonly place: SessionPlace
  readonly system: SystemChoice
  readonly asks: Answerer
  readonly ground: Ground
  readonly model: () => string
  /** Whether the model is a small one. */
  readonly small: () => boolean
  readonly style: () => Parameters<typeof systemPrompt>[0]["style"]
}

interface SystemAbout {
  readonly tools: readonly string[]
  readonly servers: readonly Guidance[]
  readonly day: string
}

export function openSystem(parts: SystemParts): (about: SystemAbout) => readonly SystemPart[] {
  const { system, asks, ground, model, small, style } = parts
  /** Until a conversation begins it is weighed again and again, for every answer that a resume reads. */
  let last:
    | { readonly of: readonly unknown[]; readonly options: SystemOptions; readonly made: readonly SystemPart[] }
    | undefined
  return ({ tools, servers, day }) => {
    const of = [tools, servers, day, style(), small(), model(), ground.repository]
    if (last && of.every((each, i) => each === last?.of[i])) return last.made
    const options: SystemOptions = {
      ...system,
      asks,
      tools,
      servers,
      ...optional("style", style()),
      ...(small() && { size: "small" }),
      environment: environmentOf(parts, day),
    }
    const made = last && Bun.deepEquals(last.options, options) ? last.made : systemPrompt(options)
    last = { of, options, made }
    return made
  }
}

/** The environment for the first message, where the system prompt leaves it out. */
export const openEnvironment = (parts: SystemParts, day: () => string): (() => string) | undefined =>
  parts.system.environmentPlace === "elsewhere" && parts.system.replaced === undefined
    ? () => environmentPart(environmentOf(parts, day()))
    : undefined

const environmentOf = (
  { place, ground, model }: Pick<SystemParts, "place" | "ground" | "model">,
  date: string,
): Environment => ({
  cwd: place.cwd,
  isGit: ground.repository !== undefined,
  platform: place.platform,
  shellName: "bash",
  osVersion: place.osVersion,
  date,
  model: model(),
})
