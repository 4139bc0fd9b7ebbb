/** The tools by which a session sees the user's other sessions and writes to one of them. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { mostMailChars } from "#agent/words/team.ts"
import { type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import { counted } from "#lib/figures.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { SessionMailbox } from "./mailbox.ts"
import { listWords, type OtherSession, senderWords, sentWords, shortId, unsentWords } from "./message-words.ts"

export interface OtherSessions {
  /** All of the user, this one included. */
  readonly list: () => Promise<readonly OtherSession[]>
  /** Lets a session look at its mail. One that does not run reads it later. */
  readonly ring: (id: string) => Promise<void>
}

export interface MessageToolParts {
  readonly sessionId: string
  readonly cwd: string
  readonly mailbox: Pick<SessionMailbox, "send">
  readonly others: OtherSessions
  /** How many messages were sent since the user last wrote. */
  readonly sentAlone: () => number
}

export const messageToolName = "MessageSession"

/** Two sessions that answer each other would otherwise never end. */
const mostAlone = 20

export function messageTools(parts: MessageToolParts): readonly AnyTool[] {
  const { others, sessionId } = parts
  return [
    defineTool({
      name: "ListSessions",
      description:
        "Lists the user's other sessions in all folders: id, state, name, folder. They are separate conversations, not agents of yours.",
      input: shape.object({}),
      title: () => "List sessions",
      footprint: touchesNothing,
      async run() {
        const all = (await others.list()).filter(({ id }) => id !== sessionId)
        return answered(listWords(all), { display: { kind: "text", text: counted(all.length, "other session") } })
      },
    }),
    defineTool({
      name: messageToolName,
      independent: true,
      description:
        "Sends a message to another session of the user, when the user wants that. It arrives as words of this session, not of the user; that session works under its own rules. What it says at the end of its turn comes back to you by itself.",
      input: shape.object({
        to: shape.string().trim().min(1).describe("Id or name, as ListSessions shows it"),
        message: shape.string().min(1, "must not be empty"),
      }),
      title: ({ to }) => `Message to session ${to}`,
      keyed: true,
      // What the other session makes of it is not known here.
      footprint: () => ({ ...touchesNothing(), effect: "unknown", alone: true }),
      async validate({ to }) {
        const found = await sessionNamed(to, parts)
        return found.ok ? undefined : found.failure
      },
      async preview({ to, message }) {
        const found = await sessionNamed(to, parts)
        const about = found.ok ? `To ${senderWords(found.value)} (${shortId(found.value.id)}):\n` : ""
        return { kind: "text", text: `${about}${message}` }
      },
      run: ({ to, message }, { callId }) => sendMessage({ to, message, callId }, parts),
    }),
  ]
}

async function sendMessage(
  { to, message, callId }: { readonly to: string; readonly message: string; readonly callId: string },
  parts: MessageToolParts,
): Promise<Outcome> {
  const { sessionId, cwd, mailbox, others } = parts
  if (parts.sentAlone() >= mostAlone)
    return refused(`Not sent: ${mostAlone} messages were sent since the user last wrote. End your turn and tell them.`)
  if (message.length > mostMailChars)
    return refused(`Not sent: at most ${mostMailChars} characters are sent. Write it to a file and send the path.`)
  const found = await sessionNamed(to, parts)
  if (!found.ok) return refused(found.failure)
  const own = (await others.list()).find(({ id }) => id === sessionId)
  const summary = senderWords({ name: own?.name ?? shortId(sessionId), folder: cwd })
  const posted = await mailbox.send(
    { from: sessionId, to: found.value.id, type: "message", text: message, summary },
    callId,
  )
  if (!posted.ok) return refused(unsentWords(posted.failure))
  await others.ring(found.value.id)
  return sentOutcome(found.value, posted.value?.seq)
}

export const sentOutcome = (to: OtherSession, seq: number | undefined): Outcome =>
  answered(sentWords(to), {
    display: { kind: "text", text: `Sent to ${senderWords(to)}` },
    data: { to: to.id, ...optional("seq", seq) },
  })

/** The failure is a sentence for the model. */
async function sessionNamed(
  words: string,
  { others, sessionId }: Pick<MessageToolParts, "others" | "sessionId">,
): Promise<Result<OtherSession, string>> {
  const all = await others.list()
  const name = words.trim().toLowerCase()
  const ways: readonly ((one: OtherSession) => boolean)[] = [
    ({ id }) => id.startsWith(name),
    (one) => one.name.toLowerCase() === name,
    (one) => one.name.toLowerCase().startsWith(name),
  ]
  for (const way of ways) {
    const found = all.filter(way)
    if (found.length > 1) return failed(`Several sessions match ${words}. Give more of the id:\n${listWords(found)}`)
    const [one] = found
    if (one?.id === sessionId) return failed("That is this session. Give the id of another one.")
    if (one) return ok(one)
  }
  return failed(`No session has the id or name ${words}. ListSessions shows all.`)
}
