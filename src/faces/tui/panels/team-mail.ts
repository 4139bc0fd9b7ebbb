/** Mail of a team: one message in full, and all that is kept. */

import type { Mail } from "#agent/words/team.ts"
import { mailFacts, mailTitle } from "#session/slash/team-words.ts"
import { ageText } from "#lib/age.ts"
import type { Clock } from "#lib/clock.ts"
import type { TeamPort } from "./extension-ports.ts"
import type { ListDefinition, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

export const mailPanel = <T>(mail: Mail, now: number): TextDefinition<T> => ({
  kind: "text",
  title: mailTitle(mail),
  begins: "top",
  async load() {
    const { seq, summary, text, answers, sentAt, deliveredAt } = mail
    const facts = factRows([
      ["Number", `${seq}`],
      ["Answers", answers === undefined ? undefined : `${answers}`],
      ["Sent", ageText(now - sentAt)],
      ["Read", deliveredAt === undefined ? "not yet" : ageText(now - deliveredAt)],
    ])
    return { draw: drawnOnce(passage(facts, textRows(summary ?? "Message", text))), keys: [] }
  },
})

export const allMailPanel = <T>(team: TeamPort, clock: Clock): ListDefinition<T> => ({
  kind: "list",
  title: "Mail",
  empty: "No messages.",
  search: "rows",
  enterLabel: "open",
  watch: team.watch,
  load: async () =>
    ((await team.overview())?.mail ?? [])
      .toReversed()
      .map((mail) => ({ key: `${mail.seq}`, text: mailTitle(mail), facts: mailFacts(mail) })),
  async choose({ key }) {
    const mail = (await team.overview())?.mail.find(({ seq }) => `${seq}` === key)
    return mail ? { kind: "opens", panel: mailPanel(mail, clock.now()) } : { kind: "stays" }
  },
})
