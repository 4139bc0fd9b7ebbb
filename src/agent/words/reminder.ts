/** How the program's own words reach the model, and how other text is kept from imitating them. */

export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`

/** Tool output is data: tags reserved for the program are made harmless in it. */
export function escapeImitations(text: string): string {
  return text.includes("system-reminder") ? text.replace(/<(\/?)(system-reminder)/gi, "&lt;$1$2") : text
}
