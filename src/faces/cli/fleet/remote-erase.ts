/** `codewright sessions delete --server`: erases sessions of a server with all their traces. */

import { systemClock } from "#lib/clock.ts"
import { agrees } from "#faces/cli/terminal/agrees.ts"
import { openRemote } from "./remote.ts"
import { pickRemote } from "./remote-list.ts"
import type { SessionsCall } from "#faces/cli/sessions/sessions-call.ts"

export async function eraseRemote({ args, words, io }: SessionsCall, server: string): Promise<number> {
  const remote = openRemote(server, systemClock)
  if (!remote.ok) return io.fail(remote.failure)
  const ids = new Set<string>()
  // All of them are found before one is erased.
  for (const word of words) {
    const picked = await pickRemote(word, remote.value)
    if (!picked.ok) return io.fail(picked.failure)
    ids.add(picked.value)
  }
  if (!args.has("yes")) {
    if (!process.stdin.isTTY)
      return io.fail("There is no terminal to ask for confirmation. To erase without asking, add --yes.")
    io.say([...ids].join("\n"))
    const which = ids.size === 1 ? "this session" : `these ${ids.size} sessions`
    if (!(await agrees(`Erase ${which} with log, files and approvals? This cannot be undone.`)))
      return io.fail("Nothing was erased.")
  }
  let code = 0
  for (const id of ids) {
    const erased = await remote.value.ask("DELETE", `/api/sessions/${id}?erase=true`)
    if (erased.ok) io.say(`Erased ${id}`)
    else code = io.fail(`${id} was not erased: ${erased.failure}`)
  }
  return code
}
