/** How often a property is tried: few times by day, many in `npm run nightly`. */

const factor = Number(process.env["CODEWRIGHT_RUNS"] ?? 1)

export const runs = (byDay: number): { readonly numRuns: number } => ({ numRuns: byDay * factor })
