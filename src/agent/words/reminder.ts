/** How the program's own words reach the model, and how other text is kept from imitating them. */

export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`

/** Tool output is data: tags reserved for the program are made harmless in it. */
export function escapeImitations(text: string): string {
  return reserved.test(text) ? text.replaceAll(imitation, "&lt;$1$2") : text
}

/** Reminders, what members of a team and other sessions write, and what becomes of tasks and workflows. */
const reserved = /system-reminder|teammate-message|session-message|session-report|task-notification/i
const imitation = /<(\/?)(system-reminder|teammate-message|session-message|session-report|task-notification)/gi
