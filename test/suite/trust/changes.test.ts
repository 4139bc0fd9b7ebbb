/** A trusted folder in which something is added, removed, moved or only written differently. */

import { playAll } from "./play.ts"
import { rows } from "./rows-changes.ts"

playAll(rows)
