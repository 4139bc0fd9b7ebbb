/** Has the results that a call names written to their files: until somebody asks for one, only the log has it. */

import type { Middleware } from "#agent/words/middleware.ts"

/** Longer texts are contents, not paths or commands. */
const mostCharacters = 100_000

export const writeAskedResults =
  (write: (text: string) => void): Middleware =>
  (call, next) => {
    for (const value of Object.values(call.input))
      if (typeof value === "string" && value.length <= mostCharacters) write(value)
    return next(call)
  }
