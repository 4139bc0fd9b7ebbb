/** A name of a type means at most two things in the whole house: a reader who meets it a third time has to look it up. */

import type { Source } from "./source.ts"

const declared = /^(?:export )?(?:interface|type) ([A-Z]\w*)/gm

/** The files that declare a type of each name. */
export function typeNames(tree: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>()
  for (const { path, code } of tree)
    for (const [, name = ""] of code.matchAll(declared)) places.set(name, [...(places.get(name) ?? []), path])
  return places
}

export function typeNameBreaches(tree: readonly Source[]): readonly string[] {
  return [...typeNames(tree)]
    .filter(([, paths]) => paths.length > 2)
    .map(([name, paths]) => `${name} is declared in ${paths.join(", ")}: give each meaning a name of its own`)
}
