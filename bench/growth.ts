/** Does the overhead of a step grow with the number of steps before it? */

import { gaps } from "./kit/agent.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median, shown } from "./kit/figures.ts"
import { answer, type Row } from "./kit/row.ts"
import { runBareLike, runReads } from "./kit/steps.ts"

/** Above this a difference is no longer the noise of the machine. */
const none = 1.3

const bare = compileBare("fetch")
answer(await growth(300), await growth(1000))
bare.remove()

async function growth(steps: number): Promise<Row> {
  const run = await runReads(steps)
  const ours = ends(gaps(run))
  const floor = ends(gaps(await runBareLike(run, bare)))
  return {
    what: `growth of the overhead over ${steps} read steps`,
    ours: told(ours),
    floor: `${told(floor)} (bare fetch of bodies that grow alike)`,
    ratio: `x${(growthOf(ours) / growthOf(floor)).toFixed(2)}`,
    toReach: `none (below x${none})`,
    reached: growthOf(ours) < none ? "yes" : "no",
  }
}

interface Ends {
  readonly first: number
  readonly last: number
}

function ends(times: readonly number[]): Ends {
  return { first: median(times.slice(0, 20)), last: median(times.slice(-20)) }
}

function growthOf({ first, last }: Ends): number {
  return last / first
}

function told(both: Ends): string {
  return `${shown(both.first, "ms")} to ${shown(both.last, "ms")}, x${growthOf(both).toFixed(2)}`
}
