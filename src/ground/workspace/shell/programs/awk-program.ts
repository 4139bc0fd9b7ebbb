/**
 * awk programs that only print, compare and calculate, checked by our own grammar: anything outside it could run a
 * command, write a file or read another one. A grammar, because only that tells a division from a pattern.
 */

/** Whether a program only contains what is known to be harmless. */
export function onlyReckons(program: string): boolean {
  // awks differ about non-ASCII characters, and about lines that continue on the next one.
  if (program.length > longest || /[^\t\n\x20-\x7e]/.test(program) || /\\\n/.test(program)) return false
  const cursor: Cursor = { text: program, at: 0 }
  for (;;) {
    skip(cursor, gaps)
    if (cursor.at === program.length) return true
    if (!rule(cursor)) return false
  }
}

interface Cursor {
  readonly text: string
  at: number
}

const longest = 4000
const spaces = /[ \t]*/y
const lines = /(?:[ \t\n]|#[^\n]*)*/y
const gaps = /(?:[ \t\n;]|#[^\n]*)*/y

/** A pattern, a block, or both. */
function rule(cursor: Cursor): boolean {
  if (takeWord(cursor, "BEGIN", "END")) return skip(cursor, spaces) && block(cursor)
  if (cursor.text[cursor.at] === "{") return block(cursor)
  if (!expression(cursor)) return false
  if (accept(cursor, ",") && !(skip(cursor, lines) && expression(cursor))) return false
  skip(cursor, spaces)
  return cursor.text[cursor.at] === "{" ? block(cursor) : isEnded(cursor)
}

function block(cursor: Cursor): boolean {
  if (!accept(cursor, "{")) return false
  for (;;) {
    skip(cursor, gaps)
    if (accept(cursor, "}")) return true
    if (!statement(cursor)) return false
  }
}

function statement(cursor: Cursor): boolean {
  skip(cursor, lines)
  const word = wordAt(cursor)
  switch (word) {
    case "if":
      return conditional(cursor)
    case "while":
      return takeWord(cursor, "while") && group(cursor) && body(cursor)
    case "do":
      return takeWord(cursor, "do") && body(cursor) && skip(cursor, gaps) && takeWord(cursor, "while") && group(cursor)
    case "for":
      return takeWord(cursor, "for") && loopHead(cursor) && body(cursor)
    case "print":
    case "printf":
      return takeWord(cursor, word) && (isEnded(cursor) || list(cursor, "output")) && isEnded(cursor)
    case "next":
    case "break":
    case "continue":
      return takeWord(cursor, word) && isEnded(cursor)
    case "exit":
      return takeWord(cursor, word) && (isEnded(cursor) || expression(cursor)) && isEnded(cursor)
    case "delete":
      return takeWord(cursor, word) && operand(cursor) && isEnded(cursor)
    default:
      if (cursor.text[cursor.at] === "{") return block(cursor)
      return expression(cursor) && isEnded(cursor)
  }
}

function conditional(cursor: Cursor): boolean {
  if (!(takeWord(cursor, "if") && group(cursor) && body(cursor))) return false
  const { at } = cursor
  skip(cursor, gaps)
  if (takeWord(cursor, "else")) return body(cursor)
  cursor.at = at
  return true
}

/** The body of a condition or a loop: a statement, perhaps on the next line, or none. */
function body(cursor: Cursor): boolean {
  skip(cursor, lines)
  return cursor.text[cursor.at] === ";" || statement(cursor)
}

/** `(i = 0; i < n; i++)` or `(k in a)`. */
function loopHead(cursor: Cursor): boolean {
  if (!accept(cursor, "(")) return false
  const part = (end: string): boolean => {
    skip(cursor, spaces)
    return (cursor.text[cursor.at] === end || expression(cursor)) && accept(cursor, end)
  }
  const { at } = cursor
  if (part(")")) return true
  cursor.at = at
  return part(";") && part(";") && part(")")
}

const group = (cursor: Cursor): boolean => accept(cursor, "(") && list(cursor, "anywhere") && accept(cursor, ")")

/** Where an expression is: after `print`, where a greater-than sign opens a file, or anywhere else. */
type ExpressionPlace = "output" | "anywhere"

function list(cursor: Cursor, standing: ExpressionPlace): boolean {
  do {
    skip(cursor, lines)
    if (!expression(cursor, standing)) return false
  } while (accept(cursor, ","))
  return true
}

const operators = /(?:\*\*=?|[-+*/%^]=|==|!=|<=|>=|!~|[-+*/%^<>=~?:]|(?:&&|\|\|)[ \t\n]*|in(?!\w))/y

/** Operands with operators between them, or next to each other. Precedence does not matter here. */
function expression(cursor: Cursor, standing: ExpressionPlace = "anywhere"): boolean {
  if (!operand(cursor)) return false
  for (;;) {
    skip(cursor, spaces)
    if (standing === "output" && /^>(?!=)/.test(cursor.text.slice(cursor.at, cursor.at + 2))) return true
    const { at } = cursor
    const isOperator = skip(cursor, operators) && cursor.at > at
    if (!isOperator && !/[\w."($]/.test(cursor.text[cursor.at] ?? "")) return true
    if (!isOperator && keywords.has(wordAt(cursor) ?? "")) return true
    if (!operand(cursor)) return false
  }
}

const number = /(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?!\w)/y
const text = /"(?:[^"\\\n]|\\[^\n])*"/y
/** No delimiter inside brackets: some awks end the pattern there. */
const pattern = /\/(?!=)(?:[^/\\[\n]|\\[^\n]|\[\^?\]?(?:[^\]/\\\n]|\\[\w.*+?$^(){}|-])*\])+\//y

function operand(cursor: Cursor): boolean {
  skip(cursor, spaces)
  skip(cursor, /(?:\+\+|--|[-+!$][ \t]*)*/y)
  const char = cursor.text[cursor.at] ?? ""
  const { at } = cursor
  if (char === "(") {
    if (!group(cursor)) return false
  } else if (/[A-Za-z_]/.test(char)) {
    if (!named(cursor)) return false
  } else {
    skip(cursor, char === '"' ? text : char === "/" ? pattern : number)
    if (cursor.at === at) return false
  }
  skip(cursor, /[ \t]*(?:\+\+|--)/y)
  return true
}

/** A variable, an element of an array, or a call of a function on the list. */
function named(cursor: Cursor): boolean {
  const word = wordAt(cursor) ?? ""
  if (keywords.has(word)) return false
  takeWord(cursor, word)
  const { at } = cursor
  skip(cursor, spaces)
  const next = cursor.text[cursor.at]
  // A space may precede the parenthesis of a call, so nothing else may follow a name there.
  if (next === "(") return functions.has(word) && call(cursor)
  if (functions.has(word)) return word === "length"
  if (next === "[") return isVariable(word) && accept(cursor, "[") && list(cursor, "anywhere") && accept(cursor, "]")
  cursor.at = at
  return isVariable(word)
}

function call(cursor: Cursor): boolean {
  accept(cursor, "(")
  return accept(cursor, ")") || (list(cursor, "anywhere") && accept(cursor, ")"))
}

/** Names in capitals mean something to awk: the environment, the files it reads, everything it knows. */
const isVariable = (word: string): boolean => /[a-z]/.test(word) || word.length <= 2 || known.has(word)

const words = (some: string): ReadonlySet<string> => new Set(some.split(" "))

const known = words(
  "AVG CONVFMT COUNT FIELDWIDTHS FILENAME FNR FPAT IGNORECASE MAX MIN OFMT OFS ORS RLENGTH RSTART SUBSEP SUM TOTAL",
)

const functions = words(
  "asort asorti atan2 cos exp gensub gsub index int length log match rand sin split sprintf sqrt srand strftime strtonum sub substr systime tolower toupper",
)

/** Keywords of any awk: none of them is a variable. */
const keywords = words(
  "BEGIN BEGINFILE END ENDFILE and bindtextdomain break case close compl continue dcgettext dcngettext default delete do else eval exit fflush for func function getline if in include isarray load lshift mkbool mktime namespace next nextfile or patsplit print printf return rshift switch system typeof while xor",
)

function isEnded(cursor: Cursor): boolean {
  skip(cursor, spaces)
  return cursor.at === cursor.text.length || /[;\n}#]/.test(cursor.text[cursor.at] ?? "")
}

function wordAt({ text: source, at }: Cursor): string | undefined {
  const word = /[A-Za-z_]\w*/y
  word.lastIndex = at
  return word.exec(source)?.[0]
}

function takeWord(cursor: Cursor, ...wanted: readonly string[]): boolean {
  const word = wordAt(cursor)
  if (word === undefined || !wanted.includes(word)) return false
  cursor.at += word.length
  return true
}

function accept(cursor: Cursor, char: string): boolean {
  skip(cursor, spaces)
  if (cursor.text[cursor.at] !== char) return false
  cursor.at++
  return true
}

/** Skips what a pattern matches, if it does; always true, so that it can be part of a chain. */
function skip(cursor: Cursor, what: RegExp): true {
  what.lastIndex = cursor.at
  if (what.test(cursor.text)) cursor.at = what.lastIndex
  return true
}
