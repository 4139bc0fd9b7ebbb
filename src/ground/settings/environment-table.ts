/**
 * Every environment variable that is read, in one table: the program reads through it and the reference page is
 * generated from it.
 */

export interface Variable {
  readonly name: string
  /** Names of the ecosystem used when the first is not set, strongest first. */
  readonly aliases?: readonly string[]
  readonly type: "string" | "number" | "boolean" | "path"
  readonly default?: string | number | boolean
  readonly least?: number
  readonly most?: number
  /** Any value at all means true, as is the convention for this variable. */
  readonly anyValue?: true
  /** `auto`, alone or followed by a colon and a number, means the default, as the ecosystem writes it. */
  readonly auto?: true
  /** Belongs to the user: the `env` of a project's settings never sets it. */
  readonly personal?: true
  readonly meaning: string
}

/** By the name of the field in `Environment`. */
export const environmentTable = {
  home: { name: "HOME", type: "path", personal: true, meaning: "The home folder, which `~` stands for." },
  term: { name: "TERM", type: "string", personal: true, meaning: "What the terminal can do; `dumb` gets plain lines." },
  termProgram: { name: "TERM_PROGRAM", type: "string", personal: true, meaning: "Which terminal it is." },
  windowsTerminal: {
    name: "WT_SESSION",
    type: "boolean",
    default: false,
    anyValue: true,
    personal: true,
    meaning: "Set by Windows Terminal, which shows progress.",
  },
  xterm: {
    name: "XTERM_VERSION",
    type: "boolean",
    default: false,
    anyValue: true,
    personal: true,
    meaning: "Set by xterm, which cuts rows off when its window gets narrower, where others break them.",
  },
  envFile: {
    name: "CODEWRIGHT_ENV_FILE",
    aliases: ["CLAUDE_ENV_FILE"],
    type: "path",
    personal: true,
    meaning: "A file of shell assignments that is read before each command; only in trusted folders.",
  },
  editor: {
    name: "VISUAL",
    aliases: ["EDITOR"],
    type: "string",
    personal: true,
    meaning: "The editor that Ctrl+G opens, with its arguments.",
  },
  plain: {
    name: "CODEWRIGHT_PLAIN",
    aliases: ["CODEWRIGHT_SCREEN_READER"],
    type: "boolean",
    default: false,
    personal: true,
    meaning: "Converse in plain lines instead of on a screen, as for a screen reader.",
  },
  stateHome: {
    name: "CODEWRIGHT_HOME",
    aliases: ["CLAUDE_CONFIG_DIR"],
    type: "path",
    personal: true,
    meaning: "The folder that holds settings, sessions and trust; ~/.codewright when not set.",
  },
  claudeFolder: {
    name: "CLAUDE_CONFIG_DIR",
    type: "path",
    personal: true,
    meaning: "The folder of the ecosystem's own user settings; ~/.claude when not set.",
  },
  apiKey: {
    name: "ANTHROPIC_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key sent to the Anthropic API as x-api-key.",
  },
  authToken: {
    name: "ANTHROPIC_AUTH_TOKEN",
    type: "string",
    personal: true,
    meaning: "The token sent to the Anthropic API as a bearer token.",
  },
  baseUrl: {
    name: "ANTHROPIC_BASE_URL",
    type: "string",
    personal: true,
    meaning: "The address of the Anthropic API or of a gateway that speaks it.",
  },
  openaiKey: {
    name: "OPENAI_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key for models named `openai/…`.",
  },
  openaiBaseUrl: {
    name: "OPENAI_BASE_URL",
    type: "string",
    personal: true,
    meaning: "Another address for models named `openai/…`.",
  },
  openrouterKey: {
    name: "OPENROUTER_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key for models named `openrouter/…`.",
  },
  groqKey: {
    name: "GROQ_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key for models named `groq/…`.",
  },
  deepseekKey: {
    name: "DEEPSEEK_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key for models named `deepseek/…`.",
  },
  mistralKey: {
    name: "MISTRAL_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key for models named `mistral/…`.",
  },
  xaiKey: {
    name: "XAI_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key for models named `xai/…`.",
  },
  togetherKey: {
    name: "TOGETHER_API_KEY",
    type: "string",
    personal: true,
    meaning: "The key for models named `together/…`.",
  },
  ollamaHost: {
    name: "OLLAMA_HOST",
    type: "string",
    personal: true,
    meaning: "Where Ollama listens, for models named `ollama/…`; port 11434 on this machine when not set.",
  },
  customHeaders: {
    name: "ANTHROPIC_CUSTOM_HEADERS",
    type: "string",
    personal: true,
    meaning: "Further request headers, one `Name: value` a line.",
  },
  extraBody: {
    name: "CODEWRIGHT_EXTRA_BODY",
    aliases: ["CLAUDE_CODE_EXTRA_BODY"],
    type: "string",
    personal: true,
    meaning:
      "A JSON object whose fields are added to every model request, such as `metadata` for a gateway. It cannot set the model, the messages, the system prompt, the tools, the stream or max_tokens.",
  },
  disablePromptCaching: {
    name: "DISABLE_PROMPT_CACHING",
    type: "boolean",
    default: false,
    meaning: "Ask the provider not to cache prompts. Long sessions become much more expensive.",
  },
  apiKeyHelperTtlMs: {
    name: "CODEWRIGHT_API_KEY_HELPER_TTL_MS",
    aliases: ["CLAUDE_CODE_API_KEY_HELPER_TTL_MS"],
    type: "number",
    least: 0,
    personal: true,
    meaning: "How long a key that apiKeyHelper printed is used before the command runs again; 5 minutes when not set.",
  },
  skillListingCharacters: {
    name: "SLASH_COMMAND_TOOL_CHAR_BUDGET",
    type: "number",
    least: 1,
    meaning:
      "How many characters the list of skills may take, in place of a share of the context (skillListingBudgetFraction).",
  },
  useBedrock: {
    name: "CLAUDE_CODE_USE_BEDROCK",
    type: "boolean",
    default: false,
    personal: true,
    meaning: "Asks for Claude on Amazon Bedrock, which is not supported yet: the start fails and says so.",
  },
  useVertex: {
    name: "CLAUDE_CODE_USE_VERTEX",
    type: "boolean",
    default: false,
    personal: true,
    meaning: "Asks for Claude on Google Vertex AI, which is not supported yet: the start fails and says so.",
  },
  useFoundry: {
    name: "CLAUDE_CODE_USE_FOUNDRY",
    type: "boolean",
    default: false,
    personal: true,
    meaning: "Asks for Claude on Microsoft Foundry, which is not supported yet: the start fails and says so.",
  },
  model: { name: "ANTHROPIC_MODEL", type: "string", meaning: "The main model: an alias or a full id." },
  smallFastModel: {
    name: "ANTHROPIC_SMALL_FAST_MODEL",
    type: "string",
    meaning: "The model for titles, summaries and other small work.",
  },
  opusModel: { name: "ANTHROPIC_DEFAULT_OPUS_MODEL", type: "string", meaning: "What the alias opus stands for." },
  sonnetModel: { name: "ANTHROPIC_DEFAULT_SONNET_MODEL", type: "string", meaning: "What the alias sonnet stands for." },
  haikuModel: { name: "ANTHROPIC_DEFAULT_HAIKU_MODEL", type: "string", meaning: "What the alias haiku stands for." },
  subagentModel: {
    name: "CODEWRIGHT_SUBAGENT_MODEL",
    aliases: ["CLAUDE_CODE_SUBAGENT_MODEL"],
    type: "string",
    meaning: "The model of every subagent, whatever it or the call names: an alias or a full id.",
  },
  maxToolConcurrency: {
    name: "CODEWRIGHT_MAX_TOOL_CONCURRENCY",
    aliases: ["CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"],
    type: "number",
    default: 10,
    least: 1,
    meaning: "How many calls that only read may run at once.",
  },
  maxRetries: {
    name: "CODEWRIGHT_MAX_RETRIES",
    aliases: ["CLAUDE_CODE_MAX_RETRIES"],
    type: "number",
    default: 10,
    least: 0,
    meaning: "How often a failed model request is tried again.",
  },
  maxOutputTokens: {
    name: "CODEWRIGHT_MAX_OUTPUT_TOKENS",
    aliases: ["CLAUDE_CODE_MAX_OUTPUT_TOKENS"],
    type: "number",
    least: 1,
    meaning: "The most tokens of one answer; the model's own limit when not set.",
  },
  maxThinkingTokens: {
    name: "MAX_THINKING_TOKENS",
    type: "number",
    least: 0,
    meaning: "The thinking budget in tokens; 0 turns thinking off.",
  },
  effortLevel: {
    name: "CODEWRIGHT_EFFORT_LEVEL",
    aliases: ["CLAUDE_CODE_EFFORT_LEVEL"],
    type: "string",
    meaning: "How much effort answers take: low, medium, high, xhigh, max or auto.",
  },
  apiTimeoutMs: {
    name: "API_TIMEOUT_MS",
    type: "number",
    least: 1,
    meaning:
      "How long a model request may take until its first byte, or until its whole answer where it does not stream.",
  },
  bashStaysInProject: {
    name: "CODEWRIGHT_BASH_MAINTAIN_PROJECT_WORKING_DIR",
    aliases: ["CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"],
    type: "boolean",
    default: false,
    meaning: "Start every command in the project's folder, wherever the one before it went.",
  },
  streamIdleMs: {
    name: "CODEWRIGHT_STREAM_IDLE_MS",
    type: "number",
    default: 90_000,
    least: 1,
    meaning: "How long a model stream may be silent before the request is given up and tried again.",
  },
  firstByteMs: {
    name: "CODEWRIGHT_FIRST_BYTE_MS",
    type: "number",
    default: 60_000,
    least: 1,
    meaning: "How long the first byte of a model's answer may take.",
  },
  clientPatienceMs: {
    name: "CODEWRIGHT_CLIENT_PATIENCE_MS",
    type: "number",
    least: 1,
    personal: true,
    meaning:
      "How long an SDK client may take to answer a permission question or a server's form, which then counts as unanswered; as long as it likes when not set.",
  },
  backgroundWaitMs: {
    name: "CODEWRIGHT_BACKGROUND_WAIT_MS",
    aliases: ["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"],
    type: "number",
    least: 0,
    meaning: "How long a headless run that has its answer waits for background agents; 0 for as long as it takes.",
  },
  bashDefaultTimeoutMs: {
    name: "BASH_DEFAULT_TIMEOUT_MS",
    type: "number",
    default: 120_000,
    least: 1,
    meaning: "How long a shell command may run when the call names no timeout.",
  },
  bashMaxTimeoutMs: {
    name: "BASH_MAX_TIMEOUT_MS",
    type: "number",
    default: 600_000,
    least: 1,
    meaning: "The longest timeout that a shell call may ask for.",
  },
  bashMaxOutputLength: {
    name: "BASH_MAX_OUTPUT_LENGTH",
    type: "number",
    default: 30_000,
    least: 1,
    meaning: "How many characters of a shell command's output the model gets; the rest stays in a file.",
  },
  mcpTimeoutMs: {
    name: "MCP_TIMEOUT",
    type: "number",
    default: 30_000,
    least: 1,
    meaning: "How long an MCP server may take to start, in milliseconds.",
  },
  mcpToolTimeoutMs: {
    name: "MCP_TOOL_TIMEOUT",
    type: "number",
    default: 600_000,
    least: 1,
    meaning: "How long a call of an MCP tool may go without an answer or a word of progress, in milliseconds.",
  },
  maxMcpOutputTokens: {
    name: "MAX_MCP_OUTPUT_TOKENS",
    type: "number",
    default: 25_000,
    least: 1,
    meaning: "How many tokens of an MCP tool's result the model gets; the rest stays in a file.",
  },
  toolSearch: {
    name: "CODEWRIGHT_TOOL_SEARCH",
    aliases: ["ENABLE_TOOL_SEARCH"],
    type: "boolean",
    default: true,
    auto: true,
    meaning:
      "Whether tools of MCP servers may be deferred until they are searched for. Set it to 0 for a gateway that refuses that: what is there before the first request is listed whole, and what comes later is called through CallTool.",
  },
  isSandbox: {
    name: "IS_SANDBOX",
    type: "boolean",
    default: false,
    personal: true,
    meaning: "The whole program runs in a sandbox, so that root may bypass permissions.",
  },
  trust: {
    name: "CODEWRIGHT_TRUST",
    type: "boolean",
    default: false,
    personal: true,
    meaning: "Trust the working folder for this run.",
  },
  planExploreAgents: {
    name: "CODEWRIGHT_PLAN_EXPLORE_AGENTS",
    aliases: ["CLAUDE_CODE_PLAN_V2_EXPLORE_AGENT_COUNT"],
    type: "number",
    default: 3,
    least: 1,
    most: 5,
    meaning: "How many agents may explore at once while a plan is made.",
  },
  planAgents: {
    name: "CODEWRIGHT_PLAN_AGENTS",
    aliases: ["CLAUDE_CODE_PLAN_V2_AGENT_COUNT"],
    type: "number",
    default: 1,
    least: 1,
    most: 5,
    meaning: "How many agents may work on the design of a plan.",
  },
  disableAttachments: {
    name: "CODEWRIGHT_DISABLE_ATTACHMENTS",
    aliases: ["CLAUDE_CODE_DISABLE_ATTACHMENTS"],
    type: "boolean",
    default: false,
    meaning: "Add no context of the program's own to the conversation.",
  },
  disableCompact: { name: "DISABLE_COMPACT", type: "boolean", default: false, meaning: "Never compact." },
  disableAutoCompact: {
    name: "DISABLE_AUTO_COMPACT",
    type: "boolean",
    default: false,
    meaning: "Compact only when asked to.",
  },
  autoCompactPercent: {
    name: "CODEWRIGHT_AUTO_COMPACT_PERCENT",
    aliases: ["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"],
    type: "number",
    least: 1,
    most: 100,
    meaning: "Compact when this share of the effective window is used, in percent.",
  },
  disableNonEssentialCalls: {
    name: "DISABLE_NON_ESSENTIAL_MODEL_CALLS",
    type: "boolean",
    default: false,
    meaning: "Do not ask the model for what you did not ask for, such as titles of conversations.",
  },
  disableTelemetry: {
    name: "DISABLE_TELEMETRY",
    type: "boolean",
    default: false,
    personal: true,
    meaning: "Send no telemetry, whatever else is configured.",
  },
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
    meaning: "Print without colours, whatever the value.",
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
  database: {
    name: "CODEWRIGHT_DATABASE",
    type: "string",
    personal: true,
    meaning: "The database of codewright serve and worker, as --database, but not shown in lists of processes.",
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
