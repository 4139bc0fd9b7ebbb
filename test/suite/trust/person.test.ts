/** What a folder never decides, trusted or not. */

import { playAll } from "./play.ts"
import { rows } from "./rows-person.ts"

playAll(rows)
