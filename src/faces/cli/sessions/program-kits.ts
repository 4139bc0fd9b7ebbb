/** Kits of the program: messages of the user's other sessions, and workflows that the model proposes. */

import { join } from "node:path"
import { lazily } from "#lib/lazily.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { OpenProgramKits } from "#session/opening/program-kits.ts"
import { openSessionMailbox } from "#team/sessions/mailbox.ts"
import type { OtherSessions } from "#team/sessions/message-tools.ts"
import { sessionMessagesKit } from "#team/sessions/messages-kit.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { workflowKit } from "#faces/cli/workflow/workflow-kit.ts"

export interface ProgramKitsSetting {
  readonly loaded: { readonly settings: Pick<StartupContext["loaded"]["settings"], "sessionMessages"> }
  readonly state: string
}

export const programKitsOf =
  (setting: ProgramKitsSetting): OpenProgramKits =>
  (place) => [
    ...messages(setting, place, setting.loaded.settings.sessionMessages ?? "wake"),
    workflowKit({ ...place, state: setting.state }),
  ]

/** For runs that end with their turn: a message does not start another one. */
export const messagesOnly =
  (setting: ProgramKitsSetting): OpenProgramKits =>
  (place) =>
    messages(setting, place, setting.loaded.settings.sessionMessages === "off" ? "off" : "wait")

function messages(
  { state }: ProgramKitsSetting,
  { sessionId, cwd, clock }: Parameters<OpenProgramKits>[0],
  arriving: "wake" | "wait" | "off",
): readonly Kit[] {
  if (arriving === "off") return []
  const mailbox = openSessionMailbox(state, clock)
  return [sessionMessagesKit({ sessionId, cwd, mailbox, others: lazyOtherSessions(state), arriving })]
}

function lazyOtherSessions(state: string): OtherSessions {
  const places = { state, catalog: join(state, "cache", "sessions.sqlite"), projects: join(state, "projects") }
  const others = lazily(async () => (await import("#faces/cli/background/other-sessions.ts")).otherSessions(places))
  return {
    list: async () => (await others()).list(),
    ring: async (id) => (await others()).ring(id),
  }
}
