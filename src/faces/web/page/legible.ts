/** Text from models, files and commands before it is shown: without escape sequences, and with nothing hidden in it. */

import { controls, forConsent, markHidden } from "#lib/printable.ts"

/** Sequences of commands, texts for the terminal such as titles and links, and single ones. */
const escapes = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join("|"),
  "g",
)

/** Line ends and tabs stay; what reorders or hides text becomes a visible mark. */
export const legibleText = (text: string): string =>
  markHidden(text.replaceAll("\r\n", "\n").replace(escapes, "").replace(controls, ""))

/** What somebody consents to, with its own line ends: every other character that does not show is a mark. */
export const consentLines = (text: string): string => text.trimEnd().split("\n").map(forConsent).join("\n")
