/** Reads resources, and skills among them; what belongs to a listed skill is used only if it is what the list says. */

import type { JsonObject, JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpConnection, McpFailure, McpSkill } from "./connection.ts"
import type { Freshness } from "./freshness.ts"
import { checkFile, skillBody } from "./skills.ts"

export interface Resources extends Pick<McpConnection, "readResource" | "loadSkill"> {
  /** The skills that the server offers from here on. */
  readonly listed: (skills: readonly McpSkill[]) => void
}

export function openResources(
  read: (uri: string, signal: AbortSignal) => Promise<Result<JsonObject, McpFailure>>,
  freshness: Freshness,
): Resources {
  let skills: readonly McpSkill[] = []

  /** Either the server changed a skill since, or something is wrong: only its next list can tell. */
  function differs(uri: string, why: string): Result<never, McpFailure> {
    freshness.dropResource(uri)
    freshness.outdated("skills")
    return failed({ kind: "other", message: `${why} The list is read again; try once more with the next message.` })
  }

  async function readResource(uri: string, signal: AbortSignal): ReturnType<McpConnection["readResource"]> {
    const kept = freshness.resource(uri)
    if (kept && checkFile(skills, uri, kept).ok) return ok(kept)
    const got = await read(uri, signal)
    if (!got.ok) return got
    const contents: readonly JsonValue[] = Array.isArray(got.value.contents) ? got.value.contents : []
    const checked = checkFile(skills, uri, contents)
    if (!checked.ok) return differs(uri, checked.failure)
    freshness.keepResource(uri, got.value, contents)
    return ok(contents)
  }

  return {
    listed(now) {
      skills = now
    },
    readResource,
    async loadSkill(uri, signal) {
      const skill = skills.find((one) => one.uri === uri)
      if (!skill) return failed({ kind: "other", message: `The server does not list the skill ${uri}.` })
      const contents = await readResource(uri, signal)
      if (!contents.ok) return contents
      const body = skillBody(skill, contents.value)
      return body.ok ? body : differs(uri, body.failure)
    },
  }
}
