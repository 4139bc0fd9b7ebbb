/** How the program's own words reach the model, and how others are kept from imitating them. */

export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`

/** Text from tools is data: tags that only the program may write are made harmless in it. */
export function escapeImitations(text: string): string {
  return text.includes("system-reminder") ? text.replace(/<(\/?)(system-reminder)/gi, "&lt;$1$2") : text
}
