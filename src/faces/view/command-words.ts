/** What is said to whoever typed a command that there is not. */

import { bared } from "#lib/printable.ts"

export function unknownCommand({ name, near }: { readonly name: string; readonly near: readonly string[] }): string {
  const mend = near.length > 0 ? `Did you mean ${near.map((one) => `/${one}`).join(" or ")}?` : "Nothing was sent."
  return bared(`There is no command /${name}. ${mend}`)
}
