/** All built-in commands and skills. */

import type { BundledCommand } from "./bundled.ts"
import { commit } from "./commit.ts"
import { craft } from "./craft.ts"
import { init } from "./init.ts"
import { prComments } from "./pr-comments.ts"
import { review, securityReview } from "./review.ts"

export const bundledCommands = ({ trailer }: { readonly trailer: string | undefined }): readonly BundledCommand[] => [
  commit(trailer),
  init,
  review,
  securityReview,
  prComments,
  ...craft,
]
