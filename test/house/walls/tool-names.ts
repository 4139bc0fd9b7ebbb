/** No code asks a tool for its name to find out what a call does: that is what footprints and the tool's own fields say. */

import { breach, type Source } from "./source.ts"

const names =
  "Agent|AskUserQuestion|Bash|BashOutput|Edit|EnterPlanMode|ExitPlanMode|Glob|Grep|KillShell|LS|MultiEdit|NotebookEdit|" +
  "NotebookRead|Read|Skill|Task|TodoWrite|WebFetch|WebSearch|Write"

const compared = new RegExp(
  String.raw`(?:\.tool|\bname)\s*[!=]==?\s*["'](?:${names})["']|["'](?:${names})["']\s*[!=]==?\s*[\w.?]*(?:\.tool|\bname)\b`,
  "g",
)

/** Where tools are made, where a person names one, and where a rule is written for one. */
const mayStand = (path: string): boolean =>
  path.startsWith("src/kits/tools/") ||
  path.startsWith("src/faces/cli/") ||
  path.startsWith("src/sim/") ||
  path === "src/kits/permissions/rules/suggest.ts"

export function toolNameBreaches(tree: readonly Source[]): readonly string[] {
  return tree
    .filter(({ path }) => !mayStand(path))
    .flatMap((source) =>
      [...source.text.matchAll(compared)]
        // A comment may say it.
        .filter(({ index }) => /\S/.test(source.code.slice(index, index + 5)))
        .map((match) =>
          breach(source, match.index, `${match[0]}: what a call does is said by its footprint, not by a name`),
        ),
    )
}
