/** Finds all sessions that are meant before anything is done to one of them. */

import { failed, ok, type Result } from "#lib/result.ts"
import type { OneCall } from "./session-command-call.ts"
import { pickListed } from "./pick-listed.ts"
import type { ListedSession } from "./session-list.ts"

/** `name`: of the command, whose words may have been meant as a prompt. */
export async function pickAll(
  { words, where }: OneCall,
  name: string,
): Promise<Result<readonly ListedSession[], string>> {
  if (words.length === 0) return failed(`${name} needs a session. List them with: codewright agents`)
  const sessions: ListedSession[] = []
  for (const word of words) {
    const picked = await pickListed(word, where)
    if (picked.ok) sessions.push(picked.value.session)
    else if (words.length === 1) return picked
    else return failed(`${picked.failure}\nTo send it as a prompt: codewright -- ${name} ${words.join(" ")}`)
  }
  return ok(sessions)
}
