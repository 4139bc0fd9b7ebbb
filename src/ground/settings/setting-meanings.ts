/** What each setting means, in one sentence, for editors and for the reference. */

export const settingMeanings: { readonly [key: string]: string } = {
  permissions: "Who may do what.",
  "permissions.allow": "Rules for calls that need no question.",
  "permissions.ask": "Rules for calls that always need a question.",
  "permissions.deny": "Rules for calls that are never made; they beat every other rule.",
  "permissions.additionalDirectories": "Folders that count as part of the workspace.",
  "permissions.defaultMode": "The permission mode at start; never taken from a project's files.",
  "permissions.disableAutoMode": "Takes auto mode away.",
  "permissions.disableBypassPermissionsMode": "Takes the mode bypassPermissions away.",
  "permissions.allowBypassAsRoot": "Managed policy only: root may bypass permissions.",
  allowManagedPermissionRulesOnly: "Managed policy only: allow rules of other sources do not count.",
  env: "Environment variables for the session and its tools.",
  hooks: "Programs to run at moments of a session.",
  disableAllHooks: "Run no hooks.",
  model: "The main model: an alias, provider/model, or a full id.",
  planModel: "The model in plan mode; the main one when not set.",
  smallModel: "The model for titles, summaries and other small work.",
  subagentModel: "The model of every subagent, whatever it or the call names.",
  fallbackModel: "The model to continue with when the main one is overloaded; a list is tried in its order.",
  effortLevel: "How much effort answers take: low, medium, high, xhigh, max or auto.",
  budget: "What a session may spend: usd, tokens, or both.",
  showThinkingSummaries: "false: do not ask the provider for summaries of what the model thinks.",
  alwaysThinkingEnabled:
    "true: think also with models that do so only when asked. false: do not think, where the model can stop.",
  statusLine:
    'A command that draws a line below the prompt: { "type": "command", "command": "…", "padding": 0 }. It gets JSON on its standard input.',
  outputStyle: "The name of an output style.",
  language: "The language of the answers.",
  includeCoAuthoredBy: "Name the agent as co-author in commits.",
  attribution: "When and how commits name the agent.",
  cleanupPeriodDays: "How many days sessions and teams are kept.",
  storage: "How much disk space the program uses for its own files. codewright sessions du shows what is used.",
  "storage.commandOutputMb":
    "How much of a command's output is kept in a file; of more, the beginning and the end. 64 when absent.",
  "storage.sessionOutputMb":
    "How much output of all its commands a session keeps in files. 1024 when absent. What the model was told is in the log in any case.",
  "storage.totalMb":
    "When the state folder has more than this, the daily clean-up removes what can be made again, then outputs and snapshots of the oldest sessions that are not open. Conversations are only removed by age (cleanupPeriodDays). 20480 when absent; 0: no limit.",
  plansDirectory: "The folder for plan files.",
  plan: "How an approved plan is watched.",
  "plan.enforce":
    "What happens when the work leaves an approved plan: off, warn (it is announced) or pause (it is asked about).",
  gates: "Points where a session waits for you, in every mode. A project's files can only add gates.",
  goal: "How long a session may work on a goal (/goal, --goal). The budget of the session counts as well.",
  "goal.maxChecks": "How often a goal is checked before the session gives up. 20 when absent.",
  "goal.maxSteps": "How many requests to the model a goal may take. 300 when absent.",
  "goal.maxMinutes": "How long a goal may take. 240 when absent.",
  "goal.maxBudgetUsd": "What may be spent on one goal, in dollars. No limit of its own when absent.",
  "gates.clarify": "Before anything else, ask what is unclear and restate the task.",
  "gates.plan": "Start in plan mode, and leave it only with a plan that you approved.",
  "gates.files": "Review every new file after it was created: keep it, or have it removed.",
  "gates.git": "Ask before every git operation that changes commits, the index, branches or a remote.",
  "gates.testFirst": "Refuse changes to anything but tests until a test was written and seen failing.",
  "gates.testFiles": "What counts as a test, as globs; replaces the built-in list.",
  "gates.testCommands": "Commands that run tests, such as npm test; added to the built-in list.",
  autoCompact: "Compact by itself when the window fills.",
  autoCompactEnabled: "Another name of autoCompact.",
  apiKeyHelper: "A command that prints an API key.",
  awsAuthRefresh: "A command that renews AWS credentials when Amazon Bedrock refuses them, such as aws sso login.",
  otelHeadersHelper: "A command that prints headers for telemetry.",
  forceLoginMethod: "The only way to log in that is offered.",
  enabledMcpjsonServers: "Servers of .mcp.json that are approved.",
  disabledMcpjsonServers: "Servers of .mcp.json that are not started.",
  enableAllProjectMcpServers: "Approve every server of .mcp.json.",
  readOnlyMcpServers:
    "Your own MCP servers that only read: their tools can be used in plan mode and by read-only agents. Never taken from a project's files, and never about a server of .mcp.json.",
  undo: "What /rewind covers.",
  "undo.exclude":
    "Folders that undo does not cover, relative to the project or absolute, without patterns: nothing in them is saved before it changes, and a rewind leaves them as they are. A change in them that would run unasked because it can be undone is asked about. A project's files count once the folder is trusted.",
  sandbox: "The sandbox for commands. A project's files can only tighten it.",
  "sandbox.enabled": "Run shell commands in the sandbox.",
  "sandbox.autoAllowBashIfSandboxed": "Run sandboxed commands without asking.",
  "sandbox.excludedCommands":
    "Commands that run outside the sandbox: docker * (with any arguments), git push (exactly so), docker (one word: with any arguments). A line of several commands is excluded only if each of them is.",
  "sandbox.allowUnsandboxedCommands": "Whether a command may be retried outside the sandbox, after asking.",
  "sandbox.failIfUnavailable": "Refuse to start when the sandbox does not work here.",
  "sandbox.hooks":
    "Run command hooks in the sandbox, whether or not commands run in it. If it does not work, they do not run, and refuse what they guard.",
  "sandbox.mcp":
    "Run MCP servers over stdio in the sandbox, whether or not commands run in it. If it does not work, they do not start.",
  "sandbox.caches":
    "Caches of package managers (~/.npm, ~/.cache, ~/.cargo/registry and others): read-only (visible, not writable; the default) or private (an empty, writable cache for each session in place of those that exist).",
  "sandbox.limits": "How much of the machine a sandboxed command can use.",
  "sandbox.limits.processes": "Processes and threads at once; 2048 by default.",
  "sandbox.limits.memoryMb": "Memory in megabytes; three quarters of the machine's by default.",
  "sandbox.allowEnv":
    "Credentials that sandboxed commands keep in their environment, by exact name, such as GITHUB_TOKEN or NPM_TOKEN. Known ones are replaced or removed otherwise.",
  "sandbox.credentials":
    'Credentials that sandboxed commands can use without seeing them: a variable (env) or a file, and the hosts that get the real value over HTTPS, such as [{"env": "MY_TOKEN", "hosts": ["api.example.com"]}]. Commands get a worthless value in its place. No hosts: removed or hidden. Known tokens of code hosts and package registries are included; "off" removes and hides them all.',
  "sandbox.filesystem":
    "What sandboxed commands may read and write: files and folders, absolute, from ~/, or relative to the project (in your own settings: to the folder of the file).",
  "sandbox.filesystem.allowWrite": "Writable besides the workspace.",
  "sandbox.filesystem.denyWrite": "Not writable; beats allowWrite.",
  "sandbox.filesystem.denyRead": "Not readable; beats allowRead of the same path or of a folder around it.",
  "sandbox.filesystem.allowRead": "Readable although it is hidden by default, such as ~/.ssh/known_hosts.",
  "sandbox.network":
    "What sandboxed commands may reach: hosts such as example.com, *.example.com or localhost:5432, and unix sockets.",
  "sandbox.network.allowedDomains": "Hosts that commands reach without asking.",
  "sandbox.network.deniedDomains": "Hosts that commands never reach; * turns the network off.",
  "sandbox.network.allowUnixSockets": "Unix sockets that commands may use.",
  "sandbox.network.allowLocalBinding":
    "macOS: let commands listen on local ports. On Linux they always can, on a loopback of their own.",
  enabledPlugins: "Installed plugins as name@marketplace, on (true) or off (false).",
  extraKnownMarketplaces: "Further marketplaces by name, each with its source.",
  strictKnownMarketplaces: "The only marketplaces that may be used; an empty list allows none. Managed settings only.",
  blockedMarketplaces: "Marketplaces that may not be used. Managed settings only.",
  agent: "The agent definition that the main conversation uses.",
  claudeMdExcludes: "Memory files that are not loaded, as patterns.",
  respectGitignore: "Leave ignored files out of file completion.",
  fileSuggestion: 'A command that completes file names: it gets {"query": ...} and prints one path a line.',
  skillListingBudgetFraction: "How much of the context the list of skills may take, from 0 to 1; 0.02 when absent.",
  skipDangerousModePermissionPrompt: "Accepted; bypass mode is announced at the start, but not asked about.",
  backgroundAgents:
    "false: in the terminal, calls of agents wait for their answers. Otherwise agents work in the background there unless the model waits for one; scripts always wait.",
  mouse: "false: no mouse in panels and in the transcript, so that text there can be selected without Shift.",
  promptSuggestions:
    "Whether a small model suggests your next message after each turn, in the terminal; Tab takes it. Off by default: each costs a request.",
  sideColumn:
    "false: no column beside the prompt with tasks, agents, changed files and context, in terminals of 140 columns and more.",
  backgroundWorktrees: "false: a background session works in your folder, and not in a worktree of its own.",
  sessionMessages:
    "What a message from another session of yours does: wake (it starts a turn, the default), wait (it is read in the next turn) or off (sessions cannot write to each other).",
  spinnerTipsEnabled: "false: no hints about keys, and no prompts to try in an empty session.",
  spinnerVerbs: "Words for the spinner: a list, or an object with verbs and mode (replace or append).",
  editorMode: "Keys of the prompt: normal or vim.",
  autoConnectIde:
    "Connect to the editor that has this folder open when a conversation starts in the terminal. In the editor's own terminal that happens unless it is false.",
  diffTool: "Where a question about an edit shows its diff: auto (also in the connected editor) or terminal.",
  vim: "Another way to say editorMode vim.",
  theme: "The colors of the terminal: dark, light, dark-color-blind, light-color-blind, ansi or none.",
  teammateMode:
    "Where members of a team run: in-process (the default), tmux (panes), process (processes of their own), auto (panes inside tmux, otherwise in-process), or fleet (for sessions of codewright serve: on any of its workers).",
  teammateIsolation:
    "Whether members of a team get a git worktree and branch of their own (worktree, the default) or share the lead's folder (shared).",
  notifications: "How you are notified when a question waits: desktop (and a bell), bell or off.",
  screenReader: "Converse in plain lines instead of on a screen.",
  keybindings: "Keys, or several in a row, and the action that each does; null unbinds. See keys.md.",
  detailedExitCodes: "Tell apart in the exit code why a headless run ended.",
  backgroundWaitSeconds:
    "How long a headless run that has its answer waits for background work; 600 for agents and 5 for commands when absent.",
  providers:
    "Model providers by name: `baseUrl`, `keyVariable` or `keyHelper`, `headers`, `models` with what each can do and costs, and `aliases` (`default`, `small`, or your own names); a model is then called `name/model`. `prices` has prices by model.",
  compaction:
    "When the conversation is summarized: trigger is formula (13,000 tokens before the window is full) or a percentage such as 80%. In a terminal the summary is prepared while you think, shortly before it is needed; background set to false turns that off.",
  memory:
    "What is remembered: enabled set to false turns all of it off (the memory of long sessions, notes that fit a prompt, and the agent's own notes); auto set to true lets the agent keep notes of its own on each project.",
  teams: "How teams of agents work.",
  server: "The server (codewright serve).",
  "server.visibility":
    "What those who are not admins have of the sessions of others: read (the default: everybody sees them, and operators act only in their own), own (nothing) or all (operators act in all of them).",
  "server.workspaces":
    "Where those who are not admins may start sessions: folders and addresses of repositories, each with everything below it. Without it, anywhere.",
  "server.sharedFolders":
    "Two sessions in one folder may overwrite each other's changes: tell (the default: users and models are told) or refuse (the second one is not started, and one that is over is not continued meanwhile). Clones of repositories are never shared.",
  "server.allowOperatorsOutsideSandbox":
    "Let sessions of operators run commands outside the sandbox, and where it does not work. Whoever has the role operator can then read the keys of the server and act as an admin. Off by default.",
  "server.trustedProxies":
    "Addresses of proxies in front of the server, such as 10.0.0.5 or 10.0.0.0/8. From these, X-Forwarded-For says who is asking. Name only proxies that set that header. Without it, requests count as those of the address they come from.",
  "server.retention": "How long the server keeps what is finished. Without it, forever.",
  "server.retention.sessionDays":
    "Days after which a session that is completed, failed or canceled is erased, with its log, files and approvals.",
  "server.retention.auditDays": "Days after which lines of the audit are removed.",
  "server.pushBranches":
    "Push what a session did in a repository as the branch codewright/<first characters of its id> when it is done. Off by default.",
  "server.approvalHours": "How long a session waits for a decision; after that the answer is no. Without it, forever.",
  "server.workplaces":
    "The folder in which sessions have their own folders, the same on every machine that runs them. Default: ~/.local/share/codewright/fleet.",
  "server.trees": "Where the files of sessions in repositories are kept for other machines.",
  "server.trees.smallMb": "Up to this size they are in the database. Default: 32.",
  "server.trees.large":
    "Where larger ones are: database (the default), or source, the repository itself, as the ref refs/codewright/<session>.",
  "server.trees.mostMb":
    "The most that the database keeps for one session; a session with more continues only on its own machine. Default: 256.",
  "server.trees.days":
    "How long a clone that no session uses stays on a machine, and how long the files of a cancelled session are kept. Default: 14.",
  "server.trees.diskGb":
    "How much clones may take on a machine, and prepared environments as much again; beyond that, those that were not used for the longest time are removed. Default: 50.",
  "server.budgets":
    "What sessions may cost in a day or a month (UTC); beyond that none is started or continued, and those that run are interrupted.",
  "server.budgets.userUsdPerDay": "For each user, in dollars.",
  "server.budgets.userUsdPerMonth": "For each user, in dollars.",
  "server.budgets.repositoryUsdPerDay": "For each repository or folder, whoever works in it, in dollars.",
  "server.budgets.repositoryUsdPerMonth": "For each repository or folder, in dollars.",
  "server.budgets.fleetUsdPerDay": "For all users together, in dollars.",
  "server.budgets.fleetUsdPerMonth": "For all users together, in dollars.",
  "server.limits":
    "What each session may use of its worker's machine, all of its commands together. Needs a control group of version 2 that the worker may change (Delegate=yes in its unit).",
  "server.limits.cpus": "Processors, such as 1.5.",
  "server.limits.memoryMb": "Memory in megabytes; beyond it, the system ends a program of the session.",
  "server.limits.processes": "Processes and threads at once.",
  "server.limits.diskMbPerSecond":
    "Megabytes a second, read and written each, on the disk with the folder of the session.",
  "server.quotas":
    "How many sessions may be at work at a time; the others are queued and start by themselves. Sessions that wait for an answer, and members of a team, do not count.",
  "server.quotas.userSessions": "For each user, on all machines together.",
  "server.quotas.repositorySessions": "For each repository or folder, whoever works in it.",
  "server.url":
    "The address at which people reach the page, such as https://fleet.example.com: links in webhooks and mails lead there.",
  "server.webhooks":
    "Addresses that are notified when something waits for an answer: url (or urlEnv, a variable, urlFile, a file, or urlHelper, a command that prints it), or mail, an address; format (json, slack, discord or ntfy); for, the name of the one who reads it, who then gets links that decide; where the secret for the signature comes from (secretEnv, a variable, CODEWRIGHT_WEBHOOK_SECRET when absent; secretFile, a file; or secretHelper, a command that prints it; for ntfy its access token); and allowPrivate for addresses that are not on the public internet.",
  "server.push": "Notifications of browsers. Nothing needs to be set, unless several servers share a database.",
  "server.push.contact":
    "Where push services can reach you: a mailto: or https: address. Default: server.url, else mailto:codewright@localhost.",
  "server.push.keyEnv":
    "The variable with the key that devices trust. Default: push-key in the state folder, which is made at the first start.",
  "server.push.keyFile": "A file with the key.",
  "server.push.keyHelper": "A command that prints the key.",
  "server.push.allowPrivate": "Allow push services that are not on the public internet.",
  "server.mail": "How mails are sent.",
  "server.mail.from": "The sender's address.",
  "server.mail.command":
    "The program that takes a message on its standard input and reads who gets it from its headers. Default: sendmail -t -i.",
  "server.forges":
    "Where pull requests are opened: host (such as github.com), kind (github, gitlab or gitea; known for github.com and gitlab.com), and where the token comes from: tokenEnv (a variable), tokenFile (a file) or tokenHelper (a command that prints it). api is the address of the API, where it is not the usual one.",
  "server.environments":
    "What is prepared once for a repository and copied into each of its sessions: repository (an address, with everything below it), setup (a command that runs in the sandbox, such as npm ci) or fromRepository set to true (the repository's own .codewright/environment.json says it), files (whose content the result depends on; lock files when absent), hosts (that it may reach), minutes (15 when absent) and image (a name for the machine's image).",
  "server.database":
    "The Postgres server, where neither --database nor CODEWRIGHT_DATABASE names one, and its password.",
  "server.database.url": "Its address without a password, such as postgres://codewright@db.example/codewright.",
  "server.database.passwordEnv":
    "The variable with the password, for an address that has none in it, wherever the address comes from.",
  "server.database.passwordFile": "A file with the password.",
  "server.database.passwordHelper": "A command that prints the password.",
  "server.openid": "Sign in with the accounts of an OpenID provider, beside tokens.",
  "server.openid.issuer":
    "The provider's address, exactly as it calls itself, such as https://id.example.com/realms/acme.",
  "server.openid.clientId":
    "The client that you registered there, with the redirect address https://<your server>/sign-in/openid/back.",
  "server.openid.clientSecretEnv": "The variable with its secret. Without any secret it is a public client.",
  "server.openid.clientSecretFile": "A file with its secret.",
  "server.openid.clientSecretHelper": "A command that prints its secret.",
  "server.openid.scopes": "What to ask for. Default: openid, profile, email and groups.",
  "server.openid.nameClaim":
    "The claim with the name that sessions and the audit use. Default: email, which the provider must have verified. Choose only a claim that people cannot set themselves.",
  "server.openid.groupsClaim": "The claim with a person's groups, such as realm_access.roles. Default: groups.",
  "server.openid.roles":
    "Which groups have which role; a person gets the highest of theirs, and nobody comes in without one. * stands for everybody who can sign in.",
  "server.openid.roles.admin": "Groups whose members are admins.",
  "server.openid.roles.operator": "Groups whose members are operators.",
  "server.openid.roles.viewer": "Groups whose members are viewers.",
  "server.openid.hours": "Hours until somebody has to sign in again, and roles are read again. Default: 12.",
  "server.openid.title": "What the button on the page says after 'Sign in with'. Default: the provider's host name.",
  lsp: 'Language servers by name, each with command, args, extensionToLanguage (such as { ".go": "go" }), env, initializationOptions, settings and disabled. Without a command it changes the one of that name that is found on the PATH: typescript, python, go, rust or clangd.',
  languageServers:
    "auto: language servers of settings, plugins and those found on the PATH. configured: none from the PATH. off: none. Default: auto.",
  webSearch: "How the web is searched; without it the provider searches, where it can.",
  "webSearch.endpoint": "The address of a SearXNG-compatible search service.",
  updates: "Where codewright update finds releases, instead of where this build was published.",
  "updates.source": "An https address or a folder that holds releases.",
  "updates.key": "The public key that signs them, as OpenSSH writes it, or a file with it.",
  offline: "Contact nothing but the model, as with --offline. A project can turn it on, but not off.",
  network: "How Codewright itself reaches other machines. Commands have their own environment.",
  "network.proxy":
    "The proxy for all addresses, such as http://proxy.example:3128; instead of HTTPS_PROXY and HTTP_PROXY.",
  "network.noProxy":
    "Hosts that are reached without the proxy, besides those in NO_PROXY: example.com (and names below it), example.com:8080, 10.0.0.0/8. This machine never goes through a proxy, unless the list contains <-loopback>.",
  "network.caFile": "A file with certificates (PEM) to trust besides the usual ones; like NODE_EXTRA_CA_CERTS.",
  telemetry:
    "Traces, metrics and logs for a collector of your own, as OpenTelemetry. Off unless enabled; a project's settings cannot say anything here. Variables of the environment count first.",
  "telemetry.enabled": "Send telemetry; like CODEWRIGHT_ENABLE_TELEMETRY.",
  "telemetry.endpoint": "The collector; like OTEL_EXPORTER_OTLP_ENDPOINT.",
  "telemetry.exporters": "Where traces, metrics and logs go: otlp, file, console or none.",
  "telemetry.file": "The file of the file exporter; like CODEWRIGHT_TELEMETRY_FILE.",
  "telemetry.prompts": "Send the text of prompts; like OTEL_LOG_USER_PROMPTS.",
  "telemetry.toolInput": "Send the input of calls; like OTEL_LOG_TOOL_DETAILS.",
  "telemetry.toolOutput": "Send the output of calls; like OTEL_LOG_TOOL_CONTENT.",
}
