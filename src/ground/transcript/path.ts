/** The log as a tree: the entries of the current conversation, and the other branches. See decision 19. */

import type { Entry } from "#agent/words/entry.ts"
import { beginning, openTree, type EntryTree, walkTo } from "./tree.ts"

/**
 * The current conversation, oldest first: the chain of the current tip. An entry whose parent is missing follows the
 * line before it; `isAfterGap` tells where that happened.
 */
export function pathOf(entries: readonly Entry[]): readonly Entry[] {
  const tree = treeOf(entries)
  return walk(entries, tree, tree.tip())
}

/** The entry after which the conversation continues; null when it is empty. */
export function tipOf(entries: readonly Entry[]): string | null {
  return entries[treeOf(entries).tip()]?.uuid ?? null
}

/** Undefined when the log has no such entry. */
export function pathTo(entries: readonly Entry[], uuid: string): readonly Entry[] | undefined {
  const tree = treeOf(entries)
  const place = tree.placeOf(uuid)
  return place === undefined ? undefined : walk(entries, tree, place)
}

/** Whether something is missing on a path right before this index. Never true for the first entry. */
export function isAfterGap(path: readonly Entry[], index: number): boolean {
  const before = path[index - 1]
  return before !== undefined && path[index]?.parentUuid !== before.uuid
}

/**
 * The entries with all parents present: a missing one is replaced by an entry that says so, made from its parent and
 * time.
 */
export function rejoined(
  entries: readonly Entry[],
  standIn: (parentUuid: string | null, at: number) => Entry,
): readonly Entry[] {
  const tree = treeOf(entries)
  const isThere = (uuid: string | null, below: number): boolean =>
    uuid === null || (tree.placeOf(uuid) ?? below) < below
  const whole: Entry[] = []
  entries.forEach((entry, index) => {
    const named = entry.kind === "head" ? entry.to : entry.parentUuid
    const before = whole.at(-1)?.uuid ?? null
    if (entry.kind === "head") {
      const to = isThere(named, index) ? named : (entries[tree.parentOf(index)]?.uuid ?? null)
      whole.push({ ...entry, to, parentUuid: before })
      return
    }
    if (isThere(named, index)) {
      whole.push(entry)
      return
    }
    const gap = standIn(entries[tree.parentOf(index)]?.uuid ?? null, entry.at)
    whole.push(gap, { ...entry, parentUuid: gap.uuid })
  })
  return whole
}

export interface Branch {
  /** Its last entry, after which a switch would continue. Null for an empty conversation. */
  readonly tip: string | null
  /** The prompt where it diverges from the others; undefined when it has none of its own. */
  readonly prompt: (Entry & { readonly kind: "prompt" }) | undefined
  /** When its last entry was written, in milliseconds since the epoch. */
  readonly at: number
  readonly length: number
  readonly isCurrent: boolean
}

export interface BranchPlaces {
  readonly tip: number
  readonly prompt: number
  readonly length: number
  readonly isCurrent: boolean
}

/** Every branch that ends with a prompt of its own, and the current one, ordered by their last entries. */
export function branches(entries: readonly Entry[]): readonly Branch[] {
  return branchesIn(treeOf(entries), (place) => entries[place])
}

/** `entryAt` is only called for tips, for prompts, and for the very last entry. */
export function branchesIn(tree: EntryTree, entryAt: (place: number) => Entry | undefined): readonly Branch[] {
  return branchPlaces(tree)
    .map(({ tip, prompt, length, isCurrent }): Branch => {
      const parting = entryAt(prompt)
      return {
        tip: entryAt(tip)?.uuid ?? null,
        prompt: parting?.kind === "prompt" ? parting : undefined,
        at: (entryAt(tip) ?? entryAt(tree.count() - 1))?.at ?? 0,
        length,
        isCurrent,
      }
    })
    .sort((a, b) => a.at - b.at)
}

export function branchPlaces(tree: EntryTree): readonly BranchPlaces[] {
  const prompts = promptTree(tree)
  const here = prompts.over[tree.tip()] ?? beginning
  const leaves = [...prompts.last.keys()].filter((place) => place !== beginning && !prompts.children.has(place))
  const shown = leaves.includes(here) || tree.count() === 0 ? leaves : [...leaves, here]
  return shown.map((leaf) => ({
    tip: leaf === here ? lastEntry() : (prompts.last.get(leaf) ?? leaf),
    prompt: parting(leaf),
    length: depth(leaf),
    isCurrent: leaf === here,
  }))

  /** The tip, or what it follows where the line is a link that lost its entry. */
  function lastEntry(): number {
    let at = tree.tip()
    while (at !== beginning && tree.kindAt(at) === undefined) at = tree.parentOf(at)
    return at
  }

  /** The first prompt after the last fork above this one; the current tip counts as a fork too. */
  function parting(leaf: number): number {
    if (leaf === beginning || prompts.children.has(leaf)) return beginning
    let at = leaf
    for (;;) {
      const parent = prompts.parent.get(at) ?? beginning
      if (parent === here || (prompts.children.get(parent) ?? 0) > 1 || parent === beginning) return at
      at = parent
    }
  }

  function depth(leaf: number): number {
    let length = 0
    for (let at = leaf; at !== beginning; at = prompts.parent.get(at) ?? beginning) length++
    return length
  }
}

export function treeOf(entries: readonly Entry[]): EntryTree {
  const tree = openTree()
  for (const entry of entries) tree.add(entry)
  return tree
}

const walk = (entries: readonly Entry[], tree: EntryTree, from: number): readonly Entry[] =>
  walkTo(tree, from).map((place) => entries[place] as Entry)

/** The tree with only prompts as its nodes. */
interface PromptTree {
  /** For each entry, the prompt it follows, or is. */
  readonly over: Int32Array
  readonly parent: ReadonlyMap<number, number>
  readonly children: ReadonlyMap<number, number>
  readonly last: ReadonlyMap<number, number>
}

function promptTree(tree: EntryTree): PromptTree {
  const over = new Int32Array(tree.count()).fill(beginning)
  const parent = new Map<number, number>()
  const children = new Map<number, number>()
  const last = new Map<number, number>()
  for (let place = 0; place < tree.count(); place++) {
    const kind = tree.kindAt(place)
    if (kind === "head") continue
    const above = over[tree.parentOf(place)] ?? beginning
    over[place] = kind === "prompt" ? place : above
    if (kind === undefined) continue
    last.set(over[place] ?? beginning, place)
    if (kind !== "prompt") continue
    parent.set(place, above)
    children.set(above, (children.get(above) ?? 0) + 1)
  }
  return { over, parent, children, last }
}
