/** File failures as complaints about a call: for the model and for the user. */

import { type Complaint, complained, type Outcome } from "#agent/words/tool.ts"
import { brief, type FileFailure, say } from "#ground/workspace/failure.ts"

export const fileComplaint = (failure: FileFailure): Complaint => ({ message: say(failure), shown: brief(failure) })

export const refusedFile = (failure: FileFailure): Outcome => complained(fileComplaint(failure))
