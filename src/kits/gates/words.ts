/** What the model is told about gates. */

import type { GateName, Gates } from "#agent/words/gates.ts"

export const clarifyWords = `Before you do anything else, make sure that you understand the task. Look at the code if that helps; until the task is confirmed you can only read.
If anything about it is unclear or could be meant in several ways, ask with AskUserQuestion, everything at once. Then call ConfirmTask with the whole task in your own words, including what the user answered. If nothing is unclear, call it with nothingUnclear set to true. The work begins after that.`

export const unclearWords =
  "The task is not confirmed yet. Ask what is unclear with AskUserQuestion, not in text, or call ConfirmTask with the whole task in your own words."

export const taskWords = (task: string): string => `The task, as it was confirmed at the beginning:\n${task}`

export const testsWords = (about: string): string =>
  `You changed files after the tests had failed (${about}), and no test command has passed since. Run the tests alone in a command, so that its exit code is theirs, and go on until they pass; or say in your answer why they cannot.`

/** Once in a conversation; empty if there is nothing to know. */
export function rulesWords({ files, git, testFirst, plan }: Gates): string {
  return [
    ...(plan ? ["Nothing is changed before the user has approved a plan (ExitPlanMode)."] : []),
    ...(files
      ? ["The user reviews every new file right after it was created, and may have it removed: its result says so."]
      : []),
    ...(git
      ? [
          "The user is asked before every git operation that changes something; ask for few, and only when they are wanted.",
        ]
      : []),
    ...(testFirst
      ? [
          "Tests come first: until a test was written or changed and a test command has failed after that, every other change is refused. Run tests alone in a command, without a pipe, because the exit code counts. At the end they have to pass.",
        ]
      : []),
  ].join("\n")
}

/** What has changed since the model was told; empty if nothing did that it needs to know. */
export function switchedWords(before: readonly GateName[], now: readonly GateName[]): string {
  const off = before.filter((gate) => gate !== "clarify" && !now.includes(gate))
  const on = rulesWords(Object.fromEntries(now.flatMap((gate) => (before.includes(gate) ? [] : [[gate, true]]))))
  return [...off.map((gate) => offWords[gate]), on].filter((text) => text !== "").join("\n")
}

const offWords: { readonly [gate in GateName]: string } = {
  clarify: "",
  plan: "The user switched the plan gate off: changes need no approved plan any more.",
  files: "The user switched the files gate off: new files are not reviewed any more.",
  git: "The user switched the git gate off: git operations are asked about only as the permission rules say.",
  testFirst: "The user switched the testFirst gate off: changes are no longer refused because no test failed before.",
}

export const confirmedWords = (task: string): string =>
  `The task is confirmed. From here on this is what is to be done:\n${task}`

export const removedWords = (paths: readonly string[], words: string | undefined): string =>
  words
    ? `The user looked at what this created and rejected it, so ${listed(paths)} ${was(paths)} removed. They say: ${words}`
    : `The user looked at what this created and rejected it, so ${listed(paths)} ${was(paths)} removed. Wait for what they say next.`

export const keptWords = (paths: readonly string[], words: string | undefined): string =>
  words
    ? `The user looked at ${listed(paths)}, which this created and which ${paths.length === 1 ? "is" : "are"} still there, and wants it different. They say: ${words}`
    : `The user rejected ${listed(paths)}, which this created and which ${paths.length === 1 ? "is" : "are"} still there. Wait for what they say next.`

export const unreviewedWords = (paths: readonly string[], why: string): string =>
  `New files are reviewed in this session, and nobody can do that now (${why}), so ${listed(paths)} ${was(paths)} removed. Go on without new files, or end by saying what you would have created.`

export const changedWords = (paths: readonly string[]): string =>
  ` Not removed, because it was changed meanwhile: ${listed(paths)}.`

export const movedNotice = (title: string, refs: readonly string[]): string =>
  `${title} changed the git repository (${listed(refs)}), and the git gate did not see it coming. git reflog shows what was before.`

export const movedWords = (refs: readonly string[]): string =>
  `This changed the git repository (${listed(refs)}), which needs the user's consent in this session. Tell the user, and do not run it again without asking.`

const was = (paths: readonly string[]): string => (paths.length === 1 ? "was" : "were")

const mostListed = 10
const listed = (paths: readonly string[]): string =>
  paths.length <= mostListed
    ? paths.join(", ")
    : `${paths.slice(0, mostListed).join(", ")} and ${paths.length - mostListed} more`
