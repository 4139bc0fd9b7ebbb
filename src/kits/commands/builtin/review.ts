/** Reviews changes, in general and for security. */

import type { BundledCommand } from "./bundled.ts"

export const review: BundledCommand = {
  name: "review",
  description: "Review the current changes, a branch, or a pull request",
  takes: "[files, branch, or number of a pull request]",
  body: `Review code. What to review: $ARGUMENTS
If that is empty: what has changed here since the main branch, committed or not. If it is a number: that pull request (\`gh pr view\`, \`gh pr diff\`).

Status here: !\`git status --short --branch\`

1. Read the whole difference first, then the code around each change: callers, tests, the types it rests on. A finding about code you have not read is a guess.
2. Look, in this order, for: wrong results and lost data; errors that are swallowed or not handled; races, leaks, unbounded growth; holes (untrusted input, paths, shells, secrets); what callers rely on and is broken now; tests that are missing or cannot fail; then what makes the code harder to read than it needs to be.
3. Check each suspicion before you write it down: follow the code, run the test, or write one down that would fail. Drop what does not hold.
4. Report findings, worst first: path:line, what happens and with which input, what to do instead. Say how sure you are. Then one sentence on what is good, and whether you would merge it.

Leave out taste, praise without content, and what a formatter or linter finds. If there is nothing worth changing, say so. Change no files.
`,
}

export const securityReview: BundledCommand = {
  name: "security-review",
  description: "Look for security holes in the current changes",
  takes: "[files or branch]",
  isForModel: false,
  body: `Look for security holes that the changes in this repository bring in. What to look at: $ARGUMENTS
If that is empty: what has changed since the main branch, committed or not.

Status here: !\`git status --short --branch\`
Changed files: !\`git diff --stat HEAD\`

1. Find out where data from outside enters what has changed: requests, files, arguments, environment, messages, model output. Follow each to where it takes effect.
2. Look for: injection (shell, SQL, templates, paths, headers), missing or wrong checks of who may do what, secrets in code or logs, requests to addresses that others choose, unsafe decoding, weak or home-made cryptography, races between a check and its use, limits that are not there, dependencies that were added.
3. For each suspicion, name the attacker, what they send, and what they gain. If you cannot, it is not a finding. Look whether something before it already prevents it.
4. Report only what is exploitable or close to it, worst first: path:line, severity (high, medium, low), how it is exploited, the smallest good repair, and how sure you are. Old holes that you come across go into a list of their own at the end.

If there is nothing, say what you looked at and that you found nothing. Change no files.
`,
}
