/** Kits for sessions that stay open: messages of the user's other sessions, and workflows that the model proposes. */

import { join } from "node:path"
import { lazily } from "#lib/lazily.ts"
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
  ({ loaded, state }: ProgramKitsSetting): OpenProgramKits =>
  ({ sessionId, cwd, clock }) => {
    const arriving = loaded.settings.sessionMessages ?? "wake"
    const mailbox = openSessionMailbox(state, clock)
    return [
      ...(arriving === "off"
        ? []
        : [sessionMessagesKit({ sessionId, cwd, mailbox, others: lazyOtherSessions(state), arriving })]),
      workflowKit({ sessionId, cwd, state }),
    ]
  }

function lazyOtherSessions(state: string): OtherSessions {
  const places = { state, catalog: join(state, "cache", "sessions.sqlite"), projects: join(state, "projects") }
  const others = lazily(async () => (await import("#faces/cli/background/other-sessions.ts")).otherSessions(places))
  return {
    list: async () => (await others()).list(),
    ring: async (id) => (await others()).ring(id),
  }
}
