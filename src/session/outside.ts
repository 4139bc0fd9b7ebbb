/** Kits from outside of the session: what an embedding program brings, and what an agent has from whoever started it. */

import type { Kit } from "#agent/words/kit.ts"

interface Outside {
  readonly kits?: readonly Kit[]
  readonly child?: { readonly parent: { readonly late?: Kit } }
}

export function kitsFor({ kits = [], child }: Outside): readonly Kit[] {
  if (!child) return kits
  // A kit that follows a conversation follows that of the parent; an agent gets the tools alone.
  const tools = kits.flatMap((kit) => (kit.tools ? [{ name: kit.name, tools: kit.tools }] : []))
  return [...tools, ...(child.parent.late ? [child.parent.late] : [])]
}
