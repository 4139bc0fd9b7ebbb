/** The tool by which members write to each other. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import {
  type Letter,
  type MailFailure,
  mailTypes,
  type MailType,
  mostMailChars,
  type Posted,
  type TeamStore,
} from "#agent/words/team.ts"
import { type AnyTool, answered, type CallContext, type Outcome, refused } from "#agent/words/tool.ts"
import { optional } from "#lib/optional.ts"
import * as shape from "#lib/shape.ts"
import { firstLine } from "./first-line.ts"
import { postedWords } from "./mail-words.ts"

const description = `Sends a message to a member of your team by name, to the lead (lead), or to all others (*). Nothing else you say reaches them.
It arrives at the recipient's next step; a member that has left continues when its lead writes to it. Answers come to you in the same way, so do not wait or ask again.
- answers: the number of the message that you answer.
- type shutdown_request asks a member to leave; shutdown_response and plan_approval_response answer a request, with approve.`

/** Notices about tasks are written by the store alone, and reports by the program. */
const sendable = mailTypes.filter(
  (type): type is Exclude<MailType, "task_notification" | "report"> =>
    type !== "task_notification" && type !== "report",
)

export interface SendPorts {
  readonly name: string
  readonly mail: TeamStore["mail"]
  /** Why it may not be sent; undefined if it may. */
  readonly objection: (letter: Letter) => string | undefined
  /** What comes of it without being sent; undefined if it is sent. */
  readonly instead?: ((letter: Letter, context: CallContext) => Promise<Outcome | undefined>) | undefined
  readonly onSent: (letter: Letter) => void
}

export const sendMessageTool = ({ name, mail, objection, instead, onSent }: SendPorts): AnyTool =>
  defineTool({
    name: "SendMessage",
    independent: true,
    description,
    input: shape.object({
      to: shape.string().trim().min(1).describe("A name, or * for all others"),
      message: shape.string().min(1, "must not be empty"),
      summary: shape.string().trim().min(1).optional().describe("In five to ten words, for the user"),
      type: shape.choice(sendable).optional(),
      answers: shape.int().min(1).optional(),
      approve: shape.boolean().optional(),
    }),
    title: ({ to, summary, message }) => `Message to ${to}: ${summary ?? firstLine(message)}`,
    keyed: true,
    // Two side by side would leave open which came first.
    footprint: () => ({ ...touchesNothing(), alone: true }),
    async run({ to, message, summary, type = "message", answers, approve }, context) {
      if (to.toLowerCase() === name.toLowerCase()) return refused("That is you. Send it to somebody else.")
      const isAnswer = type === "shutdown_response" || type === "plan_approval_response"
      if (isAnswer && approve === undefined) return refused(`Say with approve whether you agree: a ${type} needs it.`)
      if (message.length > mostMailChars)
        return refused(
          `Not sent: the message has ${message.length} characters, and at most ${mostMailChars} are sent. Write it to a file and send its path with a summary.`,
        )
      const letter: Letter = {
        from: name,
        to,
        type,
        text: message,
        key: context.callId,
        ...optional("summary", summary),
        ...optional("answers", answers),
        ...optional("approve", isAnswer ? approve : undefined),
      }
      const not = objection(letter)
      if (not !== undefined) return refused(not)
      const otherwise = await instead?.(letter, context)
      if (otherwise) return otherwise
      const posted = await mail.send(letter, { caller: name, id: context.callId })
      if (!posted.ok) return refused(mailFailureWords(posted.failure))
      onSent(letter)
      return sentOutcome(posted.value)
    },
  })

function mailFailureWords(failure: MailFailure): string {
  if (failure.kind === "no_such_member")
    return `There is no member ${failure.name}. In the team: ${failure.members.join(", ")}.`
  return `Not sent: ${failure.unread} of your messages to ${failure.to} are still unread. Continue with something else, or end your turn; send the rest as one message later.`
}

export const sentOutcome = (posted: readonly Posted[]): Outcome =>
  answered(postedWords(posted), {
    display: { kind: "text", text: `Sent to ${posted.map(({ to }) => to).join(", ") || "nobody"}` },
    data: { messages: posted.map(({ seq, to, ahead }) => ({ seq, to, ahead })) },
  })
