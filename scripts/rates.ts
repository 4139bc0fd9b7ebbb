/** `npm run rates`: how often the permission rules are wrong on the labelled corpora, as each release says it. */

import { ratesOf, readLabelled } from "../test/kit/labelled-corpus.ts"
import { version } from "../src/lib/version.ts"

/** What each corpus proves. */
const corpora: { readonly [name: string]: string } = {
  "unseen.jsonl": "labeled by others, not looked at while rules were written",
  "examined.jsonl": "labeled by others, then used to fix classes of mistakes",
  "everyday.jsonl": "labeled by us",
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`

console.log(`Codewright ${version}: decisions in default mode, commands that only read confined to a sandbox.\n`)
console.log("| corpus | cases | allowed wrongly | asked needlessly |")
console.log("|---|---:|---:|---:|")
let wrong = 0
for (const [name, about] of Object.entries(corpora)) {
  const { cases, falseAllows, benign, unasked } = await ratesOf(readLabelled(name))
  wrong += falseAllows.length
  const guarded = cases - benign
  const allows = `${falseAllows.length} of ${guarded} (${percent(falseAllows.length / guarded)})`
  const asks = `${benign - unasked} of ${benign} (${percent(1 - unasked / benign)})`
  console.log(`| ${name.replace(".jsonl", "")}: ${about} | ${cases} | ${allows} | ${asks} |`)
}
// A release calls this, and must not go out with a command that runs without consent.
if (wrong > 0) process.exitCode = 1
