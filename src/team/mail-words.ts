/** Mail as the model sees it: in tags of its own, which no text can imitate, and never as the user's words. */

import type { Attachment } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { Mail, Posted } from "#agent/words/team.ts"
import { counted } from "#lib/figures.ts"
import { firstLine } from "./first-line.ts"
import { optional } from "#lib/optional.ts"

export function mailAttachment(mail: Mail): Attachment {
  const { seq, from, type, answers, approve } = mail
  return {
    name: type === "task_notification" ? "task_notification" : "teammate_message",
    text: type === "task_notification" ? notification(mail) : message(mail),
    data: {
      mailTo: seq,
      from,
      type,
      shown: shownWords(mail),
      ...optional("answers", answers),
      ...optional("approve", approve),
    },
  }
}

/** Of all together, and of each, when many of one sender come at once. */
const [mostFoldedChars, leastOfEach, mostOfEach] = [8_000, 60, 300]

/** Several unread messages of one sender, shortened: the rest is with the sender. */
export function foldedAttachment(mail: readonly Mail[]): Attachment {
  const [first, last] = [mail[0], mail.at(-1)]
  const from = first?.from ?? ""
  const most = Math.max(leastOfEach, Math.min(mostOfEach, Math.floor(mostFoldedChars / mail.length)))
  const lines = mail.map(({ seq, text }) => `${seq}: ${text.length <= most ? text : `${text.slice(0, most)}…`}`)
  const isCut = mail.some(({ text }) => text.length > most)
  const head = inAttributes({ from, seq: `${first?.seq}-${last?.seq}`, count: mail.length })
  return {
    name: "teammate_message",
    text: `<teammate-messages${head}>\n${escapeImitations(lines.join("\n"))}\n</teammate-messages>${isCut ? `\nThey are shortened; ask ${plain(from)} for what you need.` : ""}`,
    data: {
      mailTo: last?.seq ?? 0,
      from,
      type: "message",
      count: mail.length,
      shown: `${from}: ${counted(mail.length, "message")}`,
    },
  }
}

/** For the user, who otherwise sees answers to what nobody seems to have said. */
const shownWords = ({ from, text }: Mail): string => `${from}: ${firstLine(text, mostShown)}`
const mostShown = 160

const notification = ({ seq, from, text, note }: Mail): string =>
  `<task-notification${inAttributes({ from, seq })}>\n${escapeImitations(text)}\n</task-notification>${noted(note)}`

const noted = (note: string | undefined): string => (note === undefined ? "" : `\n${escapeImitations(note)}`)

function message({ seq, from, type, text, summary, answers, approve, meantFor, note: about }: Mail): string {
  const head = inAttributes({
    from,
    seq,
    type: type === "message" || type === "report" ? undefined : type,
    answers,
    approve,
    summary,
  })
  const note = meantFor === undefined ? "" : `\nIt was meant for ${plain(meantFor)}, who has left the team.`
  const next = whatToDo[type]?.(seq) ?? ""
  return `<teammate-message${head}>\n${escapeImitations(text)}\n</teammate-message>${note}${noted(about)}${next}`
}

const whatToDo: { readonly [type in Mail["type"]]?: (seq: number) => string } = {
  shutdown_request: (seq) =>
    `\nFinish the step you are in. Then answer with SendMessage, type shutdown_response, answers ${seq}: approve true to leave the team, or approve false and the reason to stay.`,
  plan_approval_request: (seq) =>
    `\nAnswer with SendMessage, type plan_approval_response, answers ${seq}: approve true, or approve false and what to change.`,
}

export function inAttributes(values: { readonly [name: string]: string | number | boolean | undefined }): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${plain(String(value))}"`]))
    .join("")
}

/** On one line, and without anything that ends an attribute or a tag. */
const plain = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/\s+/g, " ")

/** For the sender. */
export function postedWords(posted: readonly Posted[]): string {
  if (posted.length === 0) return "Nobody else is in the team: nothing was sent."
  return posted
    .map(({ seq, to, ahead, meantFor }) => {
      const gone = meantFor === undefined ? "" : `${meantFor} has left the team, so it goes to ${to}. `
      const before =
        ahead === 0 ? "it is next" : `${ahead} unread ${ahead === 1 ? "message is" : "messages are"} before it`
      return `${gone}Message ${seq} is in the mailbox of ${to}; ${before}.`
    })
    .join("\n")
}
