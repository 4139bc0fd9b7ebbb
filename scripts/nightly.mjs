/** `npm run nightly`: `npm test` with all the patience that a night allows. What is set already is left as it is. */

const patience = {
  CODEWRIGHT_NO_SKIP: "1",
  CODEWRIGHT_CLAIM_RACES: "10000",
  CODEWRIGHT_FLEET_KILL_MS: "5000",
  CODEWRIGHT_FLEET_SESSIONS: "200",
  CODEWRIGHT_FLEET_WORKERS: "4",
  CODEWRIGHT_GRAPH_RUNS: "40",
  CODEWRIGHT_KILLS: "2000",
  CODEWRIGHT_LINES: "100000",
  CODEWRIGHT_LONG: "1",
  CODEWRIGHT_MUTATIONS: "200000",
  CODEWRIGHT_ORDER_RUNS: "500",
  CODEWRIGHT_STREAMS: "10000",
  CODEWRIGHT_TEAM_KILLS: "50",
  CODEWRIGHT_TRIALS: "1000",
  CODEWRIGHT_UNDO_RUNS: "200",
}
for (const [name, value] of Object.entries(patience)) process.env[name] ??= value

await import("./test.mjs")
