/** The log as a tree: which entries are the conversation now, and which other branches there are. */

import type { Entry } from "#agent/words/entry.ts"

/**
 * The entries of the conversation as it stands, oldest first: the chain of the current tip. An entry whose parent is not
 * there goes on after the line that was before it; `isAfterGap` tells where that was.
 */
export function pathOf(entries: readonly Entry[]): readonly Entry[] {
  const tree = plant(entries)
  return walk(entries, tree, tree.current)
}

/** The entry after which the conversation goes on; null when it is empty. */
export function tipOf(entries: readonly Entry[]): string | null {
  return entries[plant(entries).current]?.uuid ?? null
}

/** The path that ends with this entry; nothing when the log has no such entry. */
export function pathTo(entries: readonly Entry[], uuid: string): readonly Entry[] | undefined {
  const tree = plant(entries)
  const at = tree.places.get(uuid)
  return at === undefined ? undefined : walk(entries, tree, at)
}

/** Whether something is missing on a path right before this place. Before the first entry, nothing is told of. */
export function isAfterGap(path: readonly Entry[], index: number): boolean {
  const before = path[index - 1]
  return before !== undefined && path[index]?.parentUuid !== before.uuid
}

/**
 * The entries with parents that are there: where one is missing, an entry that says so stands in for it, made from the
 * parent and the time it gets.
 */
export function mended(
  entries: readonly Entry[],
  standIn: (parentUuid: string | null, at: number) => Entry,
): readonly Entry[] {
  const { places, parents } = plant(entries)
  const isThere = (uuid: string | null, below: number): boolean => uuid === null || (places.get(uuid) ?? below) < below
  const whole: Entry[] = []
  entries.forEach((entry, index) => {
    const named = entry.kind === "head" ? entry.to : entry.parentUuid
    const before = whole.at(-1)?.uuid ?? null
    if (entry.kind === "head") {
      const to = isThere(named, index) ? named : (entries[parents[index] ?? none]?.uuid ?? null)
      whole.push({ ...entry, to, parentUuid: before })
      return
    }
    if (isThere(named, index)) {
      whole.push(entry)
      return
    }
    const gap = standIn(entries[parents[index] ?? none]?.uuid ?? null, entry.at)
    whole.push(gap, { ...entry, parentUuid: gap.uuid })
  })
  return whole
}

/** One way the conversation went. */
export interface Branch {
  /** Its last entry: where a switch to it would go on. Null for a conversation that begins anew. */
  readonly tip: string | null
  /** The prompt with which it parts from the others; nothing when it has none of its own. */
  readonly prompt: (Entry & { readonly kind: "prompt" }) | undefined
  /** When its last entry was written, in milliseconds since the epoch. */
  readonly at: number
  /** How many prompts it has, from the beginning. */
  readonly length: number
  readonly isCurrent: boolean
}

/** Every branch that ends with a prompt of its own, and the current one, in the order of their last entries. */
export function branches(entries: readonly Entry[]): readonly Branch[] {
  const tree = plant(entries)
  const prompts = promptTree(entries, tree)
  const here = prompts.over[tree.current] ?? none
  const branchAt = (leaf: number): Branch => {
    const isCurrent = leaf === here
    const end = isCurrent ? tree.current : (prompts.last.get(leaf) ?? leaf)
    return {
      tip: entries[end]?.uuid ?? null,
      prompt: promptAt(entries, parting(leaf)),
      at: entries[end]?.at ?? entries.at(-1)?.at ?? 0,
      length: depth(leaf),
      isCurrent,
    }
  }
  const leaves = [...prompts.last.keys()].filter((at) => at !== none && !prompts.children.has(at))
  const shown = leaves.includes(here) || entries.length === 0 ? leaves : [...leaves, here]
  return shown.map(branchAt).sort((a, b) => a.at - b.at)

  /** The first prompt after the last fork above this one; where the conversation stands now is a fork too. */
  function parting(leaf: number): number {
    if (leaf === none || prompts.children.has(leaf)) return none
    let at = leaf
    for (;;) {
      const parent = prompts.parent.get(at) ?? none
      if (parent === here || (prompts.children.get(parent) ?? 0) > 1 || parent === none) return at
      at = parent
    }
  }

  function depth(leaf: number): number {
    let length = 0
    for (let at = leaf; at !== none; at = prompts.parent.get(at) ?? none) length++
    return length
  }
}

const none = -1

/** The entries' places in the log, each with that of its parent; -1 stands for the beginning. */
interface Tree {
  readonly places: ReadonlyMap<string, number>
  readonly parents: Int32Array
  readonly current: number
}

function plant(entries: readonly Entry[]): Tree {
  const places = new Map<string, number>()
  /** For what is missing: the place of the first entry that names it, which was written right after it. */
  const named = new Map<string, number>()
  entries.forEach(({ uuid, parentUuid }, at) => {
    if (!places.has(uuid)) places.set(uuid, at)
    if (parentUuid !== null && !named.has(parentUuid)) named.set(parentUuid, at)
  })
  const parents = new Int32Array(entries.length).fill(none)

  /** Where the conversation stands after the entry at this place: a head is no part of any path, it sends elsewhere. */
  const after = (at: number): number => (entries[at]?.kind === "head" ? (parents[at] ?? none) : at)
  /** Only what is further up counts as there, so that no chain can turn in a circle. */
  const placeOf = (uuid: string | null, below: number): number => {
    if (uuid === null) return none
    const at = places.get(uuid) ?? below
    if (at < below) return after(at)
    const before = Math.min(named.get(uuid) ?? below, below) - 1
    return before < 0 ? none : after(before)
  }
  entries.forEach((entry, at) => {
    parents[at] = placeOf(entry.kind === "head" ? entry.to : entry.parentUuid, at)
  })
  const last = entries.length - 1
  return { places, parents, current: last < 0 ? none : after(last) }
}

function walk(entries: readonly Entry[], { parents }: Tree, from: number): readonly Entry[] {
  const path: Entry[] = []
  for (let at = from; at >= 0; at = parents[at] ?? none) path.push(entries[at] as Entry)
  return path.toReversed()
}

/** The tree with only prompts as its nodes. */
interface PromptTree {
  /** For each entry, the prompt it follows, or is. */
  readonly over: Int32Array
  readonly parent: ReadonlyMap<number, number>
  /** How many prompts follow a prompt directly. */
  readonly children: ReadonlyMap<number, number>
  /** The last entry of what follows a prompt. */
  readonly last: ReadonlyMap<number, number>
}

function promptTree(entries: readonly Entry[], { parents }: Tree): PromptTree {
  const over = new Int32Array(entries.length).fill(none)
  const parent = new Map<number, number>()
  const children = new Map<number, number>()
  const last = new Map<number, number>()
  entries.forEach(({ kind }, at) => {
    if (kind === "head") return
    const above = over[parents[at] ?? none] ?? none
    over[at] = kind === "prompt" ? at : above
    last.set(over[at] ?? none, at)
    if (kind !== "prompt") return
    parent.set(at, above)
    children.set(above, (children.get(above) ?? 0) + 1)
  })
  return { over, parent, children, last }
}

function promptAt(entries: readonly Entry[], at: number): Branch["prompt"] {
  const entry = entries[at]
  return entry?.kind === "prompt" ? entry : undefined
}
