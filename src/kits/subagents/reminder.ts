/** What an agent must not lose sight of, said before every one of its requests. */

import type { Attachment, Kit } from "#agent/words/kit.ts"

export const stepReminderKit = (text: string): Kit => ({
  name: "critical_reminder",
  attachments: (): Promise<readonly Attachment[]> => Promise.resolve([{ name: "critical_reminder", text }]),
})
