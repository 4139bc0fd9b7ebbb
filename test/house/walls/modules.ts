/** Walls around the runtime's modules: none in pure rooms, and nowhere those that hide a name from the other walls. */

import { builtinModules } from "node:module"
import { importsOf } from "./imports.ts"
import { breach, type Source } from "./source.ts"

/** Pure rooms run in a browser and in a replay, so they touch nothing. */
export const isPure = (path: string): boolean => /^src\/(agent|faces\/view|faces\/wire)\//.test(path)

/** Modules that offer under an import what the walls forbid as a global. */
const disguises = /^(node:)?(process|console|timers|timers\/promises|perf_hooks)$/

/** Every import of a module of the runtime where it does not belong. */
export function moduleBreaches(tree: readonly Source[]): readonly string[] {
  return tree.flatMap((source) =>
    importsOf(source).flatMap(({ specifier, at }) => {
      if (isPure(source.path) && isRuntime(specifier))
        return [breach(source, at, `imports ${specifier}: a pure room touches nothing`)]
      if (disguises.test(specifier))
        return [breach(source, at, `imports ${specifier}: use the global, where the walls can see it`)]
      return []
    }),
  )
}

function isRuntime(specifier: string): boolean {
  return /^(node:|bun:|bun$)/.test(specifier) || builtinModules.includes(specifier)
}
