/** The source of a program as tokens: enough to see what it imports and which names it uses. */

/** What a token is. */
export type TokenKind = 'name' | 'text' | 'mark'

/** A name, a string's contents, or a mark. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly line: number
}

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
const NUMBER = /\d[\w.]*/y
const SPACE = /\s+/y
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const TEXT = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y
const REGEXP = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y

/** Marks and names after which a slash starts a regular expression. */
const BEFORE_REGEXP = new Set([
  ...['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '+', '-', '*', '%', '<', '>'],
  ...['return', 'typeof', 'case', 'in', 'of', 'delete', 'void', 'throw', 'new', 'else', 'do', '~'],
])

/** The tokens of a program in JavaScript or TypeScript. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let [at, line] = [0, 1]
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const text = pattern.exec(source)?.[0]
    if (text === undefined) return undefined
    at += text.length
    return text
  }
  const lines = (text: string) => {
    line += text.split('\n').length - 1
  }
  // How deep in braces the expressions of templates are that are being read.
  const templates: number[] = []
  let depth = 0
  const template = () => {
    while (at < source.length) {
      const letter = source[at] as string
      if (letter === '\\') {
        at += 2
        continue
      }
      if (letter === '\n') line++
      at++
      if (letter === '`') return
      if (letter === '$' && source[at] === '{') {
        at++
        templates.push(depth)
        return
      }
    }
  }
  while (at < source.length) {
    const skipped = take(SPACE) ?? take(COMMENT)
    if (skipped !== undefined) {
      lines(skipped)
      continue
    }
    const start = line
    const name = take(NAME)
    if (name !== undefined) {
      tokens.push({ kind: 'name', text: name, line: start })
      continue
    }
    if (take(NUMBER) !== undefined) {
      tokens.push({ kind: 'mark', text: '0', line: start })
      continue
    }
    const text = take(TEXT)
    if (text !== undefined) {
      lines(text)
      tokens.push({ kind: 'text', text: text.slice(1, -1), line: start })
      continue
    }
    const last = tokens.at(-1)
    const mayBeRegExp = last === undefined || BEFORE_REGEXP.has(last.text)
    if (source[at] === '/' && mayBeRegExp && take(REGEXP) !== undefined) {
      tokens.push({ kind: 'mark', text: '0', line: start })
      continue
    }
    const mark = source[at] as string
    at++
    if (mark === '`') {
      tokens.push({ kind: 'mark', text: '0', line: start })
      template()
      continue
    }
    if (mark === '{') depth++
    if (mark === '}') {
      if (templates.at(-1) === depth) {
        templates.pop()
        template()
        continue
      }
      depth--
    }
    tokens.push({ kind: 'mark', text: mark, line: start })
  }
  return tokens
}
