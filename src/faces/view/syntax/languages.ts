/** What the scanner must know of each language. */

export interface Language {
  readonly comments?: readonly string[]
  /** Strings and comments over several lines; longer openers first. */
  readonly long?: readonly (readonly [begin: string, end: string, role: "string" | "comment"])[]
  /** Quotes of strings that end with the line. */
  readonly quotes?: string
  readonly keywords?: string
  readonly constants?: string
  readonly ignoresCase?: true
  /** Highlights names before a colon or an equals sign. */
  readonly keys?: true
  readonly tags?: true
}

const cComments = { comments: ["//"], long: [["/*", "*/", "comment"]] } as const
const constants = "true false null undefined None True False nil NaN this self super"

const cWords =
  "auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while bool include define ifdef ifndef endif pragma"

const javascript: Language = {
  comments: ["//"],
  long: [
    ["/*", "*/", "comment"],
    ["`", "`", "string"],
  ],
  quotes: "\"'",
  keywords:
    "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of private protected public readonly return satisfies set static switch throw try type typeof unique var void while with yield any boolean never number object string symbol unknown",
  constants,
}

const languages: { readonly [name: string]: Language } = {
  javascript,
  python: {
    comments: ["#"],
    long: [
      ['"""', '"""', "string"],
      ["'''", "'''", "string"],
    ],
    quotes: "\"'",
    keywords:
      "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
    constants,
  },
  rust: {
    ...cComments,
    quotes: '"',
    keywords:
      "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return static struct super trait type unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
    constants: "true false None Some Ok Err self Self",
  },
  go: {
    ...cComments,
    long: [
      ["/*", "*/", "comment"],
      ["`", "`", "string"],
    ],
    quotes: "\"'",
    keywords:
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 any",
    constants: "true false nil iota",
  },
  java: {
    ...cComments,
    long: [
      ["/*", "*/", "comment"],
      ['"""', '"""', "string"],
    ],
    quotes: "\"'",
    keywords:
      "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long native new package private protected public record return sealed short static strictfp switch synchronized throw throws transient try var void volatile while yield fun val when object companion override",
    constants,
  },
  c: { ...cComments, quotes: "\"'", keywords: cWords, constants: "true false NULL" },
  cpp: {
    ...cComments,
    quotes: "\"'",
    keywords: `${cWords} catch class concept constexpr consteval co_await co_return co_yield decltype delete explicit export final friend mutable namespace new noexcept operator override private protected public requires template throw try typename using virtual`,
    constants: "true false nullptr this NULL",
  },
  json: { ...cComments, quotes: '"', constants: "true false null", keys: true },
  yaml: { comments: ["#"], quotes: "\"'", constants: "true false null yes no on off", keys: true },
  toml: {
    comments: ["#"],
    long: [
      ['"""', '"""', "string"],
      ["'''", "'''", "string"],
    ],
    quotes: "\"'",
    constants: "true false",
    keys: true,
  },
  shell: {
    comments: ["#"],
    long: [
      ['"', '"', "string"],
      ["'", "'", "string"],
    ],
    keywords:
      "if then else elif fi for in do done while until case esac function select time return exit export local readonly declare source set unset shift eval exec trap cd echo",
  },
  html: { long: [["<!--", "-->", "comment"]], quotes: "\"'", tags: true },
  css: {
    ...cComments,
    quotes: "\"'",
    keywords: "important media import supports keyframes layer container",
    keys: true,
  },
  sql: {
    comments: ["--"],
    long: [["/*", "*/", "comment"]],
    quotes: "'",
    ignoresCase: true,
    keywords:
      "add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right rollback select set table then transaction trigger union unique update using values view when where with",
    constants: "true false",
  },
}

const names: { readonly [name: string]: string } = {
  ts: "javascript",
  tsx: "javascript",
  mts: "javascript",
  cts: "javascript",
  typescript: "javascript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  py: "python",
  pyi: "python",
  rs: "rust",
  golang: "go",
  kt: "java",
  kotlin: "java",
  h: "c",
  cc: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  hh: "cpp",
  "c++": "cpp",
  jsonc: "json",
  json5: "json",
  jsonl: "json",
  yml: "yaml",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  console: "shell",
  xml: "html",
  svg: "html",
  htm: "html",
  vue: "html",
  scss: "css",
  less: "css",
}

/** By the name of a code block, or a file extension. */
export function languageNamed(name: string): Language | undefined {
  const lower = name.toLowerCase()
  const known = names[lower] ?? lower
  return Object.hasOwn(languages, known) ? languages[known] : undefined
}

export const languageOfFile = (path: string): Language | undefined =>
  languageNamed(path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("/")) + 1))
