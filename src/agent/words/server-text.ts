/** An MCP server's text as the model reads it: between marks that name the server, and that it cannot forge. See decision 47. */

import { escapeImitations } from "./reminder.ts"

export const serverText = (server: string, words: string): string =>
  `<server-text server="${server.replaceAll('"', "'")}">\n${escaped(words)}\n</server-text>`

const escaped = (words: string): string => escapeImitations(words).replace(/<(?=\s*\/?\s*server-text)/gi, "&lt;")
