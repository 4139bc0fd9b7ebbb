/** How long does `--version` take, from its start to its end? */

import { program } from "./kit/agent.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"

const bare = compileBare("hello")
const times = Array.from({ length: 40 }, () => ({
  ours: duration([program, "--version"]),
  floor: duration([bare.path]),
}))
bare.remove()

answer(
  rowOf({
    what: "--version",
    ours: median(times.map(({ ours }) => ours)),
    unit: "ms",
    floor: { name: "bare compiled hello", value: median(times.map(({ floor }) => floor)) },
    toReach: 6,
  }),
)

function duration(argv: readonly string[]): number {
  const start = performance.now()
  Bun.spawnSync([...argv], { stdio: ["ignore", "ignore", "ignore"] })
  return performance.now() - start
}
