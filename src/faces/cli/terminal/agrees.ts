/** Asks the user for a yes, in the terminal. */

import { createInterface } from "node:readline"
import { deferred } from "#lib/deferred.ts"

export async function agrees(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const said = deferred<string>()
  // The end of the input, or an interrupt, is no yes.
  reader.once("close", () => said.resolve(""))
  reader.question(`${question} [y/N] `, said.resolve)
  const answer = await said.promise
  reader.close()
  return /^y(es)?$/i.test(answer.trim())
}
