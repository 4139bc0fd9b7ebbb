/** `npm run nightly`: `npm test` with all the patience that a night allows. What is set already is left as it is. */

import { knobs } from "./knobs.mjs"

for (const [name, value] of Object.entries(knobs)) if (value !== undefined) process.env[name] ??= value

await import("./test.mjs")
