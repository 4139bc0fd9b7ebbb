/** Writes an AGENTS.md for the repository. */

import type { BundledCommand } from "./bundled.ts"

export const init: BundledCommand = {
  name: "init",
  description: "Write or update the AGENTS.md of this repository",
  takes: "[instructions]",
  body: `Look at this repository and write an AGENTS.md at its root, for agents who will work here.

- Find out, and try where it is cheap: the commands that build, test, check and format it, and how to run one test alone. Read the manifest, the CI configuration and the README before you guess.
- Say only what one cannot see at a glance: these commands, how the parts belong together and where to begin reading, habits that would surprise a newcomer, what must never be touched.
- No inventory of files, no advice that holds for every project, nothing you did not verify. Keep it under a page.
- If there is an AGENTS.md or CLAUDE.md already, update it instead of starting over: keep what is right, correct what is not, and say what you changed.

$ARGUMENTS
`,
}
