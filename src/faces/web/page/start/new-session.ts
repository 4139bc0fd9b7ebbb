/** The request for a new session, from what was typed. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { GateName } from "#agent/words/gates.ts"
import type { JsonObject } from "#lib/json.ts"
import type { SessionTemplate } from "#fleet/store/lists.ts"
import { type Attachment, attachedIn } from "./attached.ts"

export interface SessionDraft {
  readonly prompt: string
  readonly place: string
  readonly ref: string
  readonly mode: PermissionMode
  readonly model: string
  readonly budget: string
  readonly gates: readonly GateName[]
  readonly attached: readonly Attachment[]
}

export const emptyDraft: SessionDraft = {
  prompt: "",
  place: "",
  ref: "",
  mode: "default",
  model: "",
  budget: "",
  gates: [],
  attached: [],
}

const isUrl = (place: string): boolean =>
  /^(?:https?|ssh|git|file):\/\//i.test(place) || /^[\w.-]+@[\w.-]+:/.test(place)

/** A sentence that names the field; undefined if it can be sent. */
export function problemIn({ prompt, place, ref, budget }: SessionDraft): string | undefined {
  if (prompt.trim() === "") return "Write the task."
  if (place.trim() === "") return "Name the repository: a folder or a URL."
  if (!isUrl(place.trim()) && !place.trim().startsWith("/"))
    return "The repository is an absolute path such as /srv/app, or a URL such as https://git.example.com/app.git."
  if (ref.trim() !== "" && !isUrl(place.trim()))
    return "A branch or tag can be chosen only for the URL of a repository."
  if (budget.trim() !== "" && !(Number(budget) > 0)) return "The budget is a number of dollars, such as 2.50."
  return undefined
}

export function requestOf(draft: SessionDraft): JsonObject {
  const [place, ref, model, budget] = [draft.place.trim(), draft.ref.trim(), draft.model.trim(), draft.budget.trim()]
  return {
    ...attachedIn(draft.prompt.trim(), draft.attached),
    workspace: isUrl(place) ? { git: { url: place, ...(ref !== "" && { ref }) } } : { path: place },
    mode: draft.mode,
    ...(model !== "" && { model }),
    ...(budget !== "" && { budgetUsd: Number(budget) }),
    ...(draft.gates.length > 0 && { gates: Object.fromEntries(draft.gates.map((name) => [name, true])) }),
  }
}

export const draftOf = ({ prompt, place, ref, mode, model }: SessionTemplate): Partial<SessionDraft> => ({
  prompt,
  ...(place !== undefined && { place }),
  ...(ref !== undefined && { ref }),
  ...(mode !== undefined && { mode }),
  ...(model !== undefined && { model }),
})

export function templateOf(name: string, { prompt, place, ref, mode, model }: SessionDraft): JsonObject {
  const optionalFields = Object.entries({ place: place.trim(), ref: ref.trim(), model: model.trim() })
  return { name, prompt: prompt.trim(), mode, ...Object.fromEntries(optionalFields.filter(([, text]) => text !== "")) }
}
