/** Every kind of thing that a folder can bring: what is shown of it, what it does before trust, with it, and after a change. */

import { playAll } from "./play.ts"
import { rows } from "./rows-kinds.ts"

playAll(rows)
