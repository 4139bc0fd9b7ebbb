/** What a member does next: mail first, then the task it has or the next one, and otherwise nothing until something changes. */

import type { Claim, Mail, TeamStore } from "#agent/words/team.ts"

export type Next =
  | { readonly kind: "mail"; readonly mail: readonly Mail[] }
  | { readonly kind: "task"; readonly claim: Claim }
  /** It stopped in the middle of a task of its own. */
  | { readonly kind: "open"; readonly id: string }
  | { readonly kind: "idle" }

/**
 * The cursor is that of the member's own log. A member is idle only if the store agrees that nothing is owed at that very
 * moment; what comes later is told by `store.watch`.
 */
export async function nextFor(
  name: string,
  cursor: number,
  { board, mail, roster }: Pick<TeamStore, "board" | "mail" | "roster">,
): Promise<Next> {
  for (;;) {
    const unread = await mail.after(name, cursor)
    if (unread.length > 0) return { kind: "mail", mail: unread }
    const claim = await board.claim(name, { onlyIfFree: true })
    if (claim.ok) return { kind: "task", claim: claim.value }
    const idle = await roster.idle(name, cursor)
    if (idle.ok) return { kind: "idle" }
    const { openTask, unread: late } = idle.failure
    if (openTask !== undefined && late === 0) return { kind: "open", id: openTask }
  }
}
