/** Variables about what the program is connected with: proxies, servers, releases, the SDK; and what it shows of itself. */

export const connectionVariables = {
  httpProxy: {
    name: "HTTP_PROXY",
    aliases: ["http_proxy"],
    type: "string",
    personal: true,
    meaning: "The proxy for http addresses.",
  },
  httpsProxy: {
    name: "HTTPS_PROXY",
    aliases: ["https_proxy"],
    type: "string",
    personal: true,
    meaning: "The proxy for https addresses.",
  },
  noProxy: {
    name: "NO_PROXY",
    aliases: ["no_proxy"],
    type: "string",
    personal: true,
    meaning: "Hosts that are reached without a proxy, separated by commas.",
  },
  noColor: {
    name: "NO_COLOR",
    type: "boolean",
    default: false,
    anyValue: true,
    meaning: "Print without colors, whatever the value.",
  },
  debug: {
    name: "CODEWRIGHT_DEBUG",
    type: "string",
    meaning: "Write a debug log: 1 for everything, or a filter as for --debug.",
  },
  taskList: {
    name: "CODEWRIGHT_TASK_LIST",
    aliases: ["CLAUDE_CODE_TASK_LIST_ID"],
    type: "string",
    personal: true,
    meaning: "The name of a task list that this session shares with all others that name it.",
  },
  serverToken: {
    name: "CODEWRIGHT_TOKEN",
    type: "string",
    personal: true,
    meaning: "The token for a server that --server names.",
  },
  updateSource: {
    name: "CODEWRIGHT_UPDATE_SOURCE",
    type: "string",
    personal: true,
    meaning: "Where codewright update finds releases: an https address or a folder. Stronger than updates.source.",
  },
  updateKey: {
    name: "CODEWRIGHT_UPDATE_KEY",
    type: "string",
    personal: true,
    meaning: "The public key that signs releases, or a file with it. Stronger than updates.key.",
  },
  database: {
    name: "CODEWRIGHT_DATABASE",
    type: "string",
    personal: true,
    meaning: "The database of codewright serve and worker, as --database, but not shown in lists of processes.",
  },
  databasePooler: {
    name: "CODEWRIGHT_DATABASE_POOLER",
    type: "string",
    personal: true,
    meaning:
      "The address of a transaction pooler (such as PgBouncer) in front of the same database, for everything but listening.",
  },
  sdkReadsState: {
    name: "CLAUDE_CODE_SDK_READS_SESSION_STATE",
    type: "boolean",
    default: false,
    meaning: "Tell SDK clients when the session starts to work, waits for them, and is done. Set by the SDK.",
  },
  sdkRewinds: {
    name: "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
    type: "boolean",
    default: false,
    meaning: "Let SDK clients restore files as they were before a message. Set by the SDK.",
  },
  entrypoint: {
    name: "CODEWRIGHT_ENTRYPOINT",
    aliases: ["CLAUDE_CODE_ENTRYPOINT"],
    type: "string",
    default: "cli",
    meaning: "Who started the program, for the transcript.",
  },
} as const
