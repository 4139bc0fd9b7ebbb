/** All built-in commands and skills. */

import type { CommandDefinition } from "#agent/words/command.ts"
import { definitionOf } from "./bundled.ts"
import { commit } from "./commit.ts"
import { craft } from "./craft.ts"
import { documents } from "./documents.ts"
import { init } from "./init.ts"
import { prComments } from "./pr-comments.ts"
import { review, securityReview } from "./review.ts"

const others: readonly CommandDefinition[] = [init, review, securityReview, prComments, ...craft, ...documents].map(
  definitionOf,
)

export const bundledCommands = ({
  trailer,
  trailerBy,
}: {
  readonly trailer: string | undefined
  readonly trailerBy?: "share" | undefined
}): readonly CommandDefinition[] => [
  definitionOf(commit(trailer, trailerBy === "share" ? "by share" : "always")),
  ...others,
]
