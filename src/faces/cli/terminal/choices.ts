/** What commands of a session let one choose from. It is loaded when somebody asks. */

import type { Models } from "#ground/models/router.ts"
import type { Choices } from "#session/opening/choices.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function choicesOf(setting: StartupContext, models: Models): Choices {
  const { signal } = new AbortController()
  return {
    models: async () => (await import("#faces/cli/models/model-rows.ts")).usableModels(setting, models),
    sessions: async (words) =>
      (await import("#faces/cli/sessions/session-rows.ts")).sessionsPort(setting).list(words, signal),
  }
}
