/** `codewright attach`: a session in this terminal. One in the background stays with the host. */

import { runCommand } from "#faces/cli/run.ts"
import type { OneCall } from "./session-command-call.ts"
import { pickListed } from "./pick-listed.ts"

export async function attach({ words, where, io }: OneCall): Promise<number> {
  if (words.length > 1) return io.fail("attach takes one session. Put a name with spaces in quotes.")
  const picked = await pickListed(words[0], where)
  return picked.ok ? runCommand(["--resume", picked.value.session.id], io) : io.fail(picked.failure)
}
