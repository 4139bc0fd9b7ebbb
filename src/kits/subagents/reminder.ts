/** A reminder to an agent before every one of its requests. */

import type { Attachment, Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"

/** The text is from a file, which may have come with a project. */
export const stepReminderKit = (text: string): Kit => ({
  name: "critical_reminder",
  attachments: (): readonly Attachment[] => [{ name: "critical_reminder", text: escapeImitations(text) }],
})
