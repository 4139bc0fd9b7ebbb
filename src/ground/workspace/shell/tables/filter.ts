/** Filters in the language of jq, which more programs than jq understand: whether one only works on its input. */

import { lazily } from "#lib/lazily.ts"

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "")

const keywords = "and as break catch def elif else end false foreach if label not null or reduce then true try".split(
  " ",
)

/** Functions of jq and of both programs called yq. None reads a file, the environment or code. */
const functions = lazily(
  (): ReadonlySet<string> =>
    new Set([
      ...keywords,
      ...words(`
    IN INDEX GROUP_BY UNIQUE_BY abs alias acos acosh add all any any_c all_c anchor array_to_map arrays ascii ascii_downcase ascii_upcase asin
    asinh atan atan2 atanh booleans bsearch builtins capture cbrt ceil combinations comments contains copysign cos cosh debug
    del delpaths di document_index docIndex downcase dateadd datesub date documentIndex drem each empty endswith error exp exp10 exp2
    explode expm1 fabs fdim fi file_index fileIndex filter finites first first_of flatten floor floor_mod fma fmax fmin fmod
    foot_comment footComment format_datetime frexp from_base64 from_csv from_entries from_json from_props from_toml from_tsv from_unix from_xml
    from_yaml fromdate fromdateiso8601 fromjson fromstream fromyaml gamma getpath gmtime group_by gsub halt halt_error has have_decnum
    have_literal_numbers head_comment headComment hypot implode in index indices infinite input input_line_number
    inputs inside ireduce is_key isempty isinfinite isnan isnormal isvalid iterables j0 j1 join keys keys_unsorted key kind last ldexp leaf_paths
    length lgamma lgamma_r limit line line_comment lineComment localtime log log10 log1p log2 logb ltrimstr ltrim ltrimstr map map_values match max
    max_by min min_by mktime modf modulo nan nearbyint nextafter nexttoward normals now nth nulls numbers objects omit parent
    parents path paths pick pivot pow pow10 range recurse recurse_down remainder repeat reverse rindex rint round rtrim rtrimstr scalars
    scalb scalbln scan second select setpath shuffle significand sin sinh skip sort sort_by sort_keys sortKeys sortKeysBy split split_doc splitDoc splits
    sqrt startswith strflocaltime strftime strings strptime style sub substring tag tan tanh test tgamma third to_array to_base64 to_csv to_entries
    to_json to_number to_props to_string to_toml to_tsv to_unix to_xml to_yaml toarray todate todateiso8601 tojson tonumber tostream
    tostring toyaml transpose trim trimstr trunc truncate_stream type tz unicode unique unique_by until upcase utf8bytelength values walk
    while with with_dtf with_entries y0 y1 yaml
  `),
    ]),
)

/** Why a filter is not known to only use its input; undefined when it is. */
export function filterObjection(filter: string): string | undefined {
  let at = 0
  /** The open brackets, innermost last; a string inside a filter may contain a filter again. */
  const open: string[] = []
  const defined = new Set<string>()
  /** The last token that was not a space. */
  let before = ""
  while (at < filter.length) {
    const rest = filter.slice(at)
    const [token = ""] =
      /^(?:\s+|"|\$\s*[A-Za-z_]\w*|@[a-z0-9]+|\.\.|\.[A-Za-z_]\w*|[A-Za-z_][\w]*(?:::[A-Za-z_]\w*)*|\d[\w.]*|[^])/.exec(
        rest,
      ) ?? []
    at += token.length
    if (/^\s/.test(token)) continue
    if (token === '"' || (token === ")" && open.at(-1) === "string")) {
      if (token === ")") open.pop()
      const end = endOfString(filter, at)
      if (end === undefined) return "its filter is not read whole"
      at = end.at
      if (end.opens) open.push("string")
      before = end.opens ? "(" : '"'
      continue
    }
    // Behind a number sign follows a comment, in which quotes mean nothing.
    if (/[#'`\\]/.test(token)) return "its filter is not plain"
    if (/^[{[(]$/.test(token)) open.push(token)
    else if (/^[}\])]$/.test(token)) open.pop()
    else if (token.startsWith("$")) {
      if (/^\$\s*(?:ENV$|__)/.test(token)) return "its filter shows the environment"
    } else if (/^[A-Za-z_]/.test(token)) {
      const isKey = open.at(-1) === "{" && (before === "{" || before === ",")
      const isDefined = before === "def"
      // Outside what defines it a name means what it always means; so short ones mean nothing else.
      if (isDefined && token.length > 2) return `its filter defines ${token}`
      if (isDefined) for (const name of parameters(rest.slice(token.length))) defined.add(name)
      if (isDefined) defined.add(token)
      if (!isKey && !functions().has(token) && !defined.has(token)) return `its filter uses ${token}`
    }
    before = token
  }
  return open.length === 0 ? undefined : "its filter is not read whole"
}

/** The parameters of a function: `(f; g)`. */
function parameters(text: string): readonly string[] {
  const [, list = ""] = /^\s*\(([^()]*)\)/.exec(text) ?? []
  return list.split(";").flatMap((name) => (/^\s*[a-z]\w?\s*$/.test(name) ? [name.trim()] : []))
}

/** Where a string ends, or where a filter starts in it. */
function endOfString(text: string, from: number): { readonly at: number; readonly opens: boolean } | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') return { at: at + 1, opens: false }
    if (text[at] !== "\\") continue
    if (text[at + 1] === "(") return { at: at + 2, opens: true }
    at++
  }
  return undefined
}
