/** The variables that tell the tests how thorough to be, each with what a night allows; the program itself reads none of them. */

export const knobs = {
  /** A skipped test is a failure. */
  CODEWRIGHT_NO_SKIP: "1",
  /** What fails is run once more, alone. */
  CODEWRIGHT_SECOND_TRY: undefined,
  /** The program that tests start, instead of the one that `npm test` builds. */
  CODEWRIGHT_TEST_PROGRAM: undefined,
  /** The programs of the tests as one, instead of each from source; `npm test` builds it. */
  CODEWRIGHT_TEST_HELPERS: undefined,
  /** The server that tests make their databases on, instead of one for each. */
  CODEWRIGHT_TEST_POSTGRES: undefined,
  /** For how many minutes a test waits for what it expects. */
  CODEWRIGHT_PATIENCE: "600",
  /** Temporary files stay on the disk, also where they could be in memory. */
  CODEWRIGHT_TEST_DISK: "1",
  /** The official MCP conformance suite, instead of the one that is installed. */
  CODEWRIGHT_CONFORMANCE: undefined,
  /** Where random mixed lines begin. */
  CODEWRIGHT_SEED: undefined,
  /** How much is shown of what the classes of commands miss. */
  CODEWRIGHT_SHOW_CLASSES: undefined,
  /** How many times more runs a property gets than by day. */
  CODEWRIGHT_RUNS: "20",
  /** Each story in everything that it can run in (`test/kit/turns.ts`), instead of one of them in turns. */
  CODEWRIGHT_EVERYWHERE: "1",
  CODEWRIGHT_BACKGROUND_KILL_MS: "60000",
  CODEWRIGHT_BACKGROUND_KILLS: "30",
  CODEWRIGHT_BACKGROUND_SESSIONS: "20",
  CODEWRIGHT_CLAIM_RACES: "10000",
  CODEWRIGHT_DAY_STEPS: "20000",
  CODEWRIGHT_FLEET_FINISHED: "1000000",
  CODEWRIGHT_FLEET_KILL_MS: "5000",
  CODEWRIGHT_FLEET_SESSIONS: "200",
  CODEWRIGHT_FLEET_WORKERS: "4",
  CODEWRIGHT_GRAPH_RUNS: "40",
  CODEWRIGHT_KILLS: "2000",
  CODEWRIGHT_LINES: "100000",
  CODEWRIGHT_LONG: "1",
  CODEWRIGHT_MANY_SESSIONS: "10000",
  CODEWRIGHT_MANY_WORKERS: "50",
  CODEWRIGHT_MUTATIONS: "200000",
  CODEWRIGHT_ORDER_RUNS: "500",
  CODEWRIGHT_STREAMS: "10000",
  CODEWRIGHT_TEAM_KILLS: "50",
  CODEWRIGHT_TREE_RUNS: "100",
  CODEWRIGHT_TRIALS: "1000",
  CODEWRIGHT_WORKFLOW_KILLS: "20",
  CODEWRIGHT_UPDATE_KILLS: "200",
  CODEWRIGHT_UNDO_BUSY: "5",
  CODEWRIGHT_UNDO_FILES: "2000",
  CODEWRIGHT_UNDO_KILLS: "100",
  CODEWRIGHT_UNDO_LARGE: "200000",
  CODEWRIGHT_UNDO_RUNS: "200",
  CODEWRIGHT_UNDO_SEED: undefined,
  CODEWRIGHT_UNDO_STORIES: "10000",
  CODEWRIGHT_UNDO_TURNS: "50",
}
