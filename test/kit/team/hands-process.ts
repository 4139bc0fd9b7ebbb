/** Members without a model, in a process of their own. Run as a program: the team's file or database, the folder for notes, names, milliseconds between looks, milliseconds of work. */

import { workAsHands } from "./hands.ts"

const [path = "", notes = "", names = "", everyMs = "", workMs = ""] = process.argv.slice(2)
await workAsHands({ path, notes, names: names.split(","), everyMs: Number(everyMs), workMs: Number(workMs) })
