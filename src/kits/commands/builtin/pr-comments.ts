/** Shows the comments on a pull request. */

import type { BundledCommand } from "./bundled.ts"

export const prComments: BundledCommand = {
  name: "pr-comments",
  description: "Show the comments of a pull request, with the code they are about",
  takes: "[number]",
  isForModel: false,
  body: `Show the comments of a pull request on GitHub with the gh program. Its number: $ARGUMENTS
If that is empty: the pull request of the current branch (\`gh pr view --json number,title,url\`).

1. Get the general comments (\`gh pr view <number> --json comments,reviews\`) and those on lines (\`gh api repos/{owner}/{repo}/pulls/<number>/comments --paginate\`).
2. List them in the order of files and lines, answers below what they answer: who, path:line, a few lines of the code, what they say, shortened only where it is long. Mark what is resolved or outdated.
3. At the end, in a short list: what is asked for and still open.

Only report; change nothing, answer nobody. If gh is missing or not logged in, say how to fix that.
`,
}
