/** Commits the current changes, in the repository's own style. */

import type { BundledCommand } from "./bundled.ts"

/** Stands in the text until it is known how much of the change the session wrote. */
export const trailerMark = "%TRAILER%"

/** What the model is told about trailers. `share`: how much of the commit the session wrote, from 0 to 1. */
export function trailerWords(trailer: string | undefined, share = 1): string {
  if (trailer === undefined || share === 0) return "Add no trailer that names you or a tool."
  const lines = share === 1 ? trailer : `${trailer}\nCodewright-Share: ${percent(share)}`
  return `End the message with an empty line and ${share === 1 ? "this line" : "these lines"}:\n${lines}`
}

/** A part is neither nothing nor all. */
const percent = (share: number): string => `${Math.min(99, Math.max(1, Math.round(share * 100)))}%`

/** `trailer`: the line that credits the agent as an author, if the user wants it; `always`, or as the session's share demands. */
export const commit = (trailer: string | undefined, when: "always" | "by share" = "always"): BundledCommand => ({
  name: "commit",
  description: "Commit the current changes with a message in this repository's own style",
  takes: "[what to commit, or words for the message]",
  allowedTools: ["Bash(git add:*)", "Bash(git status:*)", "Bash(git commit:*)"],
  body: `Commit the changes in this repository.

Status:
!\`git status --short --branch\`

What is staged, and what is not:
!\`git diff HEAD --stat\`
!\`git diff HEAD\`

The last commits, for their style:
!\`git log --oneline -n 12\`

What the user adds: $ARGUMENTS

1. Decide what belongs into one commit. If something is staged already, commit just that. Otherwise add the files of one coherent change by name; never \`git add -A\` over files you have not looked at. If the changes are several things, make several commits.
2. Leave out what should not be committed: secrets, keys, .env files, large generated files, debugging left-overs. Name what you left out.
3. Write the message as the last commits are written: their language, tense, length, prefixes, issue numbers. The first line says what the change does and, where it is not plain, the body says why. No lists of files.
4. ${when === "by share" ? trailerMark : trailerWords(trailer)}
5. Commit with \`git commit -m\`, with one -m for each paragraph. Do not amend, push, skip hooks or change git's configuration. If a hook refuses the commit, read what it says, mend the cause if it is small and yours, and commit anew; otherwise stop and report.
6. Check with \`git status\`, and answer with the hash and the first line of each commit.

If there is nothing to commit, say so and do nothing.
`,
})
