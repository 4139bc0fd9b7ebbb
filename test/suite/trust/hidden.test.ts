/** Files of a folder that could be read in two ways. */

import { playAll } from "./play.ts"
import { rows } from "./rows-hidden.ts"

playAll(rows)
