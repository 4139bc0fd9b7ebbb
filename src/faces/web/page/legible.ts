/** Text from models, files and commands before it is shown: without escape sequences, and with nothing hidden in it. */

import { controls, unhidden } from "#lib/printable.ts"

// oxlint-disable-next-line no-control-regex -- these are what is looked for.
const escapes = /\u001b\[[0-?]*[ -/]*[@-~]|\u009b[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g

/** Line ends and tabs stay; what reorders or hides text becomes a visible mark. */
export const legibleText = (text: string): string =>
  unhidden(text.replaceAll("\r\n", "\n").replace(escapes, "").replace(controls, ""))
