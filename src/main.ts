/** Answers --version before anything else loads; then the command line takes over. */

import { versionFor } from "#faces/cli/help/version-text.ts"

const [first, ...rest] = process.argv.slice(2)
if (first === "--version" || first === "-v") {
  // The streams of `process` would take longer to load than everything else here takes together.
  console.log(versionFor(rest))
} else {
  const { main } = await import("#faces/cli/main.ts")
  // Whatever is still open (a connection kept alive, a timer) must not hold the exit.
  process.exit(await main(process.argv.slice(2)))
}
