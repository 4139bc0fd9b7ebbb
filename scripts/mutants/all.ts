/** Every mutant there is, and how one is put into the source. */

import { executor } from "./executor.ts"
import { fleet } from "./fleet.ts"
import { journal } from "./journal.ts"
import type { Mutant } from "./mutant.ts"
import { permissions } from "./permissions.ts"
import { sandbox } from "./sandbox.ts"
import { team } from "./team.ts"

export const everyMutant: readonly Mutant[] = [...permissions, ...executor, ...journal, ...sandbox, ...fleet, ...team]

/** The source with the fault in it. Throws if the table no longer fits. */
export function mutated({ id, file, from, to }: Mutant, source: string): string {
  const count = source.split(from).length - 1
  if (count !== 1) throw new Error(`${id}: "${from}" occurs ${count} times in src/${file}; it must occur once.`)
  const text = source.replace(from, () => to)
  new Bun.Transpiler({ loader: "ts" }).transformSync(text)
  return text
}

/** The paths of its tests, from the root of the repository. */
export const testsOf = ({ tests }: Mutant): readonly string[] => tests.map((each) => `test/${each.replace(/#.*/, "")}`)
