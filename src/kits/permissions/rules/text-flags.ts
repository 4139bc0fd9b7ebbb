/** Flags whose value is text that a program keeps, sends or compares: it is neither a flag nor a command. */

interface TextFlags {
  /** Only after one of these subcommands. */
  readonly of?: readonly string[]
  readonly flags: RegExp
}

const tables: { readonly [program: string]: readonly TextFlags[] } = {
  curl: [
    {
      flags:
        /^(?:-[#aBfgGiIjJklLMnNOpqRsSvVZ0-6]*[HdXAeFubwmrYyzCP]|--(?:header|data|data-(?:raw|ascii|urlencode|binary)|json|request|user-agent|referer|form|form-string|user|cookie|write-out|max-time|connect-timeout|retry|retry-delay|retry-max-time|range|url-query|limit-rate|max-redirs|oauth2-bearer|aws-sigv4|cacert|max-filesize|keepalive-time))$/,
    },
  ],
  gh: [
    {
      flags:
        /^(?:-[btlLRBqH]|--(?:body|title|notes|field|raw-field|header|jq|template|label|assignee|limit|repo|base|head|milestone|reviewer|search|state|description|subject))$/,
    },
    { of: ["api"], flags: /^-[fF]$/ },
  ],
  git: [
    {
      of: ["commit", "merge", "notes", "stash", "tag"],
      flags: /^(?:-[aeqsvn]*m|--message|--author|--date|--trailer)$/,
    },
    {
      of: ["log", "shortlog", "show", "diff", "rev-list", "reflog", "whatchanged"],
      flags: /^(?:-[SGnL]|--(?:grep|author|committer|since|until|after|before|format|pretty|date|max-count|skip))$/,
    },
    { of: ["grep"], flags: /^-[nilwcFqovhHEPG]*e$/ },
    { of: ["push"], flags: /^(?:-o|--push-option)$/ },
  ],
  kubectl: [
    {
      flags:
        /^(?:-[lnoc]|--(?:selector|namespace|output|container|field-selector|sort-by|since|tail|replicas|timeout|template))$/,
    },
  ],
  rg: [
    {
      flags:
        /^(?:-[nilwcFLvsSqoUxNHIhPu]*[egtTABCmMr]|--(?:regexp|glob|iglob|type|type-not|max-count|context|after-context|before-context|replace|max-columns|max-depth|sort|color))$/,
    },
  ],
  wget: [{ flags: /^(?:-U|--(?:header|post-data|body-data|method|user-agent|timeout|tries|referer|user))$/ }],
}

/** Whether the word at an index is the value of such a flag. `name` is the program without its folder. */
export function isTextValue(name: string, words: readonly string[], at: number): boolean {
  const all = Object.hasOwn(tables, name) ? (tables[name] ?? []) : []
  const before = words[at - 1] ?? ""
  if (at < 2 || !before.startsWith("-")) return false
  return all.some(({ of, flags }) => (!of || of.includes(words[1] ?? "")) && flags.test(before))
}

/** `--message=text` and `-mtext`: the text of the word itself is such a value. */
export function isTextWord(name: string, words: readonly string[], at: number): boolean {
  const [, flag = ""] = /^(--[a-z-]+)=/s.exec(words[at] ?? "") ?? /^(-[A-Za-z])./s.exec(words[at] ?? "") ?? []
  return flag !== "" && isTextValue(name, [...words.slice(0, Math.max(at, 1)), flag, ""], Math.max(at, 1) + 1)
}
