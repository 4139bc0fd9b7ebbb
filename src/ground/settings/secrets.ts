/** Variables that tool processes must not inherit, as data. A `*` stands for any characters. */

/** Keys and tokens that this program, or a provider's library inside it, reads. */
export const secretVariables: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_FOUNDRY_API_KEY",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CODEWRIGHT_*TOKEN*",
  "CODEWRIGHT_*KEY*",
  "CODEWRIGHT_*SECRET*",
  "OPENAI_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "AWS_*SECRET*",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_*",
  "OTEL_EXPORTER_OTLP_*HEADERS",
]

/** Variables by which a shell runs something before, or other than, the command it was given. */
export const shellTrapVariables: readonly string[] = [
  "BASH_ENV",
  "ENV",
  "BASH_FUNC_*",
  "SHELLOPTS",
  "BASHOPTS",
  "PROMPT_COMMAND",
  "PS4",
  "CDPATH",
  "IFS",
]

/** Variables that decide where requests go, with which credentials, and who is told: never from a project's settings. */
export const personalVariables: readonly string[] = [
  ...secretVariables,
  "ANTHROPIC_*_BASE_URL",
  "ANTHROPIC_VERTEX_*",
  "CLAUDE_CODE_USE_*",
  "CLAUDE_CODE_SKIP_*_AUTH",
  "OPENAI_*",
  "AWS_*",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CLOUDSDK_*",
  "AZURE_*",
  "*_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "NODE_USE_SYSTEM_CA",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "GIT_SSL_*",
  "OTEL_*",
  "CODEWRIGHT_ENABLE_TELEMETRY",
  "CLAUDE_CODE_ENABLE_TELEMETRY",
]
