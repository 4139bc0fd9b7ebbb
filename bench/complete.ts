/** How long does a letter behind an @ take among a hundred thousand files, and how long would a fuzzy search over all of them? */

import { Fzf } from "fzf"
import { openFileMatcher } from "../src/faces/cli/terminal/match-files.ts"
import { median, percentile } from "./kit/figures.ts"
import { answer, rowOf } from "./kit/row.ts"

const paths = Array.from(
  { length: 100_000 },
  (_, i) => `packages/module-${i % 300}/src/components/feature-${i % 977}/file-${i}.ts`,
)
/** As a person types them, letter by letter. */
const words = ["file-54321", "mod12feat9", "components", "srcfil"]

const matcher = openFileMatcher(`${paths.join("\n")}\n`)
const letters = words.flatMap((word) => Array.from(word, (_, i) => word.slice(0, i + 1)))
// The first round is what a conversation has behind it.
for (const given of letters) await matcher.find(given)
const ours: number[] = []
for (const given of letters) {
  const start = performance.now()
  await matcher.find(given)
  ours.push(performance.now() - start)
}
const whole = new Fzf(paths, { limit: 20 })
const theirs = letters.map((given) => {
  const start = performance.now()
  whole.find(given)
  return performance.now() - start
})

const floor = { name: "fzf over all", value: median(theirs) }
answer(
  rowOf({ what: "a letter behind @, 100,000 files, median", ours: median(ours), unit: "ms", floor, toReach: 50 }),
  rowOf({ what: "a letter behind @, 95th percentile", ours: percentile(ours, 95), unit: "ms", toReach: 100 }),
)
