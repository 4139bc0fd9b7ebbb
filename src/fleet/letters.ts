/** What is said of something that waits, in the words of whoever takes it: our own JSON, Slack, Discord, ntfy, or a mail. */

import { forConsent } from "#lib/printable.ts"
import { shownApproval } from "./shown-approval.ts"
import type { Letter } from "./webhooks.ts"

/** Absent where nobody knows the address of the page: then nothing leads there. */
type PageAddress = string | undefined

interface Button {
  readonly label: string
  readonly url: string
  readonly meaning: "open" | "allow" | "deny" | "answer"
}

/** Links open the page, which shows the whole action and has the buttons: programs that look at links decide nothing. */
function buttonsOf({ delivery, links }: Letter, page: PageAddress): readonly Button[] {
  if (page === undefined) return []
  const { sessionId, id, kind } = delivery.approval
  const at = (hash: string): string => `${page.replace(/\/+$/, "")}/#/${hash}`
  return [
    {
      label: "Open",
      url: at(`sessions/${encodeURIComponent(sessionId)}?approval=${encodeURIComponent(id)}`),
      meaning: "open",
    },
    ...linkButtons(links, kind, at),
  ]
}

function linkButtons(
  links: Letter["links"],
  kind: Letter["delivery"]["approval"]["kind"],
  at: (hash: string) => string,
): readonly Button[] {
  if (!links) return []
  if ("answer" in links) {
    const label = kind === "plan" ? "Review the plan…" : "Answer…"
    return [{ label, url: at(`decide/${links.answer}`), meaning: "answer" }]
  }
  return [
    { label: "Allow…", url: at(`decide/${links.allow}`), meaning: "allow" },
    { label: "Deny…", url: at(`decide/${links.deny}`), meaning: "deny" },
  ]
}

const kindWords = {
  tool: "Waits for approval",
  plan: "A plan waits for approval",
  question: "The model has a question",
  elicitation: "A form waits",
} as const

/** What stands in chats and mails: short, because the page shows all of it. */
const wordsOf = ({
  delivery: { approval, session },
}: Letter): { readonly title: string; readonly what: string; readonly action: string } => ({
  title: cut(oneLine(session.title), 150),
  what: kindWords[approval.kind],
  action: cut(forConsent(actionOf(approval)), 1_500),
})

/** Plans and questions have titles that say little. */
function actionOf({ kind, title, explanation, action }: Letter["delivery"]["approval"]): string {
  if (kind === "question") return explanation || title
  const { plan } = action.input
  return kind === "plan" && typeof plan === "string" ? plan.trim() : title
}

export function jsonLetter(letter: Letter, page: PageAddress): object {
  const { delivery, links } = letter
  const { id, approval, session } = delivery
  const buttons = buttonsOf(letter, page)
  const urls = Object.fromEntries(buttons.map(({ meaning, url }) => [meaning, url]))
  return {
    type: "approval",
    delivery: id,
    approval: shownApproval(approval, true),
    session,
    ...(buttons.length > 0 && { links: urls }),
    ...(links && { linksExpireInSeconds: Math.floor(links.forMs / 1000) }),
  }
}

/** Titles are plain text there, in which nothing is a link or a mention. */
export function slackLetter(letter: Letter, page: PageAddress): object {
  const { title, what, action } = wordsOf(letter)
  const buttons = buttonsOf(letter, page)
  const plain = (text: string): object => ({ type: "plain_text", text, emoji: false })
  return {
    text: `Codewright: ${what}`,
    unfurl_links: false,
    blocks: [
      { type: "section", text: plain(`${what}: ${title}`) },
      { type: "section", text: plain(action || what) },
      ...(buttons.length > 0
        ? [
            {
              type: "actions",
              elements: buttons.map(({ label, url, meaning }) => ({
                type: "button",
                action_id: meaning,
                text: plain(label),
                url,
                ...(meaning !== "open" && { style: meaning === "deny" ? "danger" : "primary" }),
              })),
            },
          ]
        : []),
    ],
  }
}

/** Link buttons appear only where the address ends with `?with_components=true`. */
export function discordLetter(letter: Letter, page: PageAddress): object {
  const { title, what, action } = wordsOf(letter)
  const buttons = buttonsOf(letter, page)
  return {
    allowed_mentions: { parse: [] },
    embeds: [{ title: `${what}: ${unmarked(title)}`.slice(0, 256), description: unmarked(action).slice(0, 4_000) }],
    ...(buttons.length > 0 && {
      components: [{ type: 1, components: buttons.map(({ label, url }) => ({ type: 2, style: 5, label, url })) }],
    }),
  }
}

/** Nothing in it is Markdown. */
const unmarked = (text: string): string => text.replace(/[\\`*_~|<>[\]()#@:-]/g, "\\$&")

export function ntfyLetter(letter: Letter, page: PageAddress, topic: string): object {
  const { title, what, action } = wordsOf(letter)
  const buttons = buttonsOf(letter, page)
  return {
    topic,
    title: `${what}: ${title}`,
    message: action || what,
    priority: 4,
    ...(buttons[0] && { click: buttons[0].url }),
    ...(buttons.length > 0 && {
      actions: buttons.map(({ label, url }) => ({ action: "view", label, url, clear: true })),
    }),
  }
}

/** A whole message with its headers, for a program such as sendmail. Addresses come from the settings of whoever runs the server. */
export function mailLetter(
  letter: Letter,
  page: PageAddress,
  { from, to, date }: { readonly from: string; readonly to: string; readonly date: Date },
): string {
  const { title, what, action } = wordsOf(letter)
  const { id, approval } = letter.delivery
  const name = `${id}.${approval.id.replace(/[^\w-]/g, "")}@codewright`
  const lines = [
    `${what} in “${title}”:`,
    "",
    action,
    "",
    ...buttonsOf(letter, page).map(({ label, url }) => `${label}\n${url}\n`),
    ...(letter.links ? [`Links that decide work once, for ${Math.floor(letter.links.forMs / 60_000)} minutes.`] : []),
  ]
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${encodedWords(`${what}: ${title}`)}`,
    `Date: ${date.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${name}>`,
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    ...(Buffer.from(lines.join("\n"))
      .toString("base64")
      .match(/.{1,76}/g) ?? []),
    "",
  ].join("\r\n")
}

/** Each of them has at most 75 characters, and whole letters. */
const encodedWords = (text: string): string =>
  (text.match(/.{1,11}/gsu) ?? []).map((part) => `=?utf-8?B?${Buffer.from(part).toString("base64")}?=`).join("\r\n ")

const oneLine = (text: string): string => forConsent(text).replace(/\s+/g, " ").trim()

const cut = (text: string, most: number): string => {
  const letters = [...text]
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text
}
