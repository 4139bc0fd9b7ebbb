/** Decides about a row of the corpus in its world, by the judge the program uses. */

import { type CaseJudge, openCaseJudge } from "#faces/cli/permissions/permission-cases.ts"
import type { ClassRow } from "./class-rows.ts"
import { placed, type World } from "./hostile-worlds.ts"
import { readersConfined } from "#kits/permissions/walls.ts"

export interface Verdict {
  readonly behavior: "allow" | "ask" | "deny"
  /** The kind of the reason. */
  readonly because: string
}

export type Asked = Pick<ClassRow, "tool" | "input" | "mode" | "rules">

/** A judge that knows the home and the PATH of a world. */
export async function openRowJudge(world: World): Promise<(row: Asked) => Verdict> {
  const { home, workspace: cwd, path } = world
  const judge: CaseJudge = await openCaseJudge({
    home,
    state: `${home}/.codewright`,
    cwd,
    path: () => path,
    walls: readersConfined,
  })
  return ({ tool, input, mode, rules }) => {
    const line = placed(JSON.stringify({ tool, input, mode, rules, cwd }), world)
    const { behavior, reason } = judge.judgeLine(line) as {
      readonly behavior: Verdict["behavior"]
      readonly reason: { readonly kind: string }
    }
    return { behavior, because: reason.kind }
  }
}
