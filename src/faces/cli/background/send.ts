/** `codewright agents send`: a message to a session from the shell. It arrives as one from another session, because a session's own commands can send it, too. */

import { mostMailChars } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { tilde } from "#lib/tilde.ts"
import { openSessionMailbox, shellSender } from "#team/sessions/mailbox.ts"
import { senderWords } from "#team/sessions/message-words.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import type { Io } from "#faces/cli/io.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import type { Where } from "#faces/cli/where.ts"
import { ring } from "./other-sessions.ts"
import { pickListed } from "./pick-listed.ts"

export async function sendFromShell(
  [name, ...words]: readonly string[],
  form: "json" | "text",
  where: Where,
  io: Io,
): Promise<number> {
  const text = words.join(" ").trim()
  if (name === undefined || text === "") return io.fail("agents send takes a session and a message.")
  if (text.length > mostMailChars) return io.fail(`A message has at most ${mostMailChars} characters.`)
  const picked = await pickListed(name, where)
  if (!picked.ok) return io.fail(picked.failure)
  const { session } = picked.value
  const args = parseArguments<FlagName>([], flags)
  const setting = args.ok ? await readSetting(args.value, session.cwd) : undefined
  if (setting?.ok && setting.value.loaded.settings.sessionMessages === "off")
    return io.fail("Messages between sessions are off: see the setting sessionMessages.")
  const sent = await openSessionMailbox(where.state, systemClock).send(
    {
      from: shellSender,
      to: session.id,
      type: "message",
      text,
      summary: senderWords({ name: "shell", folder: tilde(where.cwd, where.home) }),
    },
    systemIds.uuid(),
  )
  if (!sent.ok) return io.fail("Not sent: too many messages of yours are unread there. Open the session first.")
  await ring(session.id, where.state)
  const short = session.id.slice(0, 8)
  const isRead = session.pid !== undefined || (session.background && session.state !== "stopped")
  if (form === "json") io.write(`${JSON.stringify({ sent: session.id, isRead })}\n`)
  else
    io.say(
      isRead
        ? `Sent to ${session.name}. Follow it with: codewright logs ${short} --follow`
        : `Sent to ${session.name}. It is not running and reads the message when you open it: codewright attach ${short}`,
    )
  return 0
}
