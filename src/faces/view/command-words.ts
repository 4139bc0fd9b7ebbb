/** What is said about a command that does not exist. */

import { bared } from "#lib/printable.ts"

export function unknownCommand({ name, near }: { readonly name: string; readonly near: readonly string[] }): string {
  const advice = near.length > 0 ? `Did you mean ${near.map((one) => `/${one}`).join(" or ")}?` : "Nothing was sent."
  return bared(`Unknown command /${name}. ${advice}`)
}
