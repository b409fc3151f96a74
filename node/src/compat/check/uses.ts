/** Finds what the source of a program uses of another package. */

import { type Token, tokensOf } from './source.js'

/** A name that a program uses: `Client.execute`, `types.Long`, `Client(keyspace)`. */
export interface Use {
  readonly name: string
  readonly line: number
}

/** Functions of modules that make an object of a class. */
const FACTORIES: { readonly [path: string]: string } = {
  client: 'Client',
  connect: 'Client',
}
/** Methods of objects that make one of another class. */
const MAKERS: { readonly [path: string]: string } = {
  'Client.query': 'Query',
  'Client.scan': 'Scan',
  'Client.forModel': 'mapping.ModelMapper',
  'mapping.Mapper.forModel': 'mapping.ModelMapper',
}
/** Names under which options of a call are known. */
const CALLS: { readonly [path: string]: string } = {
  'Client.eachRow': 'execute',
  'Client.stream': 'execute',
  'Client.batch': 'execute',
  'Client.execute': 'execute',
  connect: 'Client',
  client: 'Client',
}

/** What a variable holds: a path of the package's module, or an object of one of its classes. */
interface Bound {
  readonly path: string
  readonly isInstance: boolean
}

class Reader {
  readonly uses: Use[] = []
  readonly #tokens: readonly Token[]
  readonly #isModule: (name: string) => boolean
  readonly #bound = new Map<string, Bound>()

  constructor(source: string, peer: string) {
    this.#tokens = tokensOf(source)
    this.#isModule = (name) => name === peer || name.startsWith(`${peer}/`)
  }

  read(): Use[] {
    this.#imports()
    if (this.#bound.size === 0) return this.uses
    // Twice: functions may come before what they use is assigned.
    this.#assignments()
    this.#assignments()
    this.#accesses()
    return this.uses
  }

  #at(index: number): string {
    return this.#tokens[index]?.text ?? ''
  }

  #is(index: number, ...texts: string[]): boolean {
    return texts.every((text, at) => this.#at(index + at) === text)
  }

  #bind(name: string, path: string, isInstance = false): void {
    this.#bound.set(name, { path, isInstance })
  }

  /** Names in braces, `a`, `b as c` or `b: c`, from the token after the brace. */
  #names(from: number, path: string): void {
    const prefix = path === '' ? '' : `${path}.`
    for (let at = from; at < this.#tokens.length && this.#at(at) !== '}'; at++) {
      if (this.#tokens[at]?.kind !== 'name') continue
      let name = this.#at(at)
      if (name === 'type' && this.#tokens[at + 1]?.kind === 'name') name = this.#at(++at)
      const line = (this.#tokens[at] as Token).line
      const isRenamed = ['as', ':'].includes(this.#at(at + 1))
      const own = isRenamed ? this.#at(at + 2) : name
      if (isRenamed && own === '{') {
        this.#names(at + 3, prefix + name)
        while (this.#at(at) !== '}' && at < this.#tokens.length) at++
        continue
      }
      if (isRenamed) at += 2
      this.#bind(own, name === 'default' ? path : prefix + name)
      if (name !== 'default') this.uses.push({ name: prefix + name, line })
    }
  }

  #imports(): void {
    for (const [at, token] of this.#tokens.entries()) {
      if (token.kind !== 'text' || !this.#isModule(token.text)) continue
      const isRequired =
        (this.#is(at - 2, 'require', '(') || this.#is(at - 2, 'import', '(')) &&
        this.#at(at + 1) === ')'
      if (isRequired) this.#required(at)
      else if (this.#at(at - 1) === 'from') this.#imported(at - 2)
    }
  }

  /** `import a, * as b, { c } from`; `last` is the token before `from`. */
  #imported(last: number): void {
    let at = last
    while (at >= 0 && !['import', 'export'].includes(this.#at(at))) at--
    for (at++; at <= last; at++) {
      if (this.#at(at) === '{') {
        this.#names(at + 1, '')
        return
      }
      if (this.#is(at, '*', 'as')) at += 2
      if (this.#tokens[at]?.kind === 'name' && this.#at(at) !== 'type') this.#bind(this.#at(at), '')
    }
  }

  /** `const a = require(...)`, `const { b } = require(...)`, `require(...).c`. */
  #required(text: number): void {
    const path: string[] = []
    for (let at = text + 2; this.#at(at) === '.'; at += 2) path.push(this.#at(at + 1))
    if (path.length > 0) this.#use(path.join('.'), text)
    let at = text - 3
    while (['await', '('].includes(this.#at(at))) at--
    if (this.#at(at) !== '=') return
    this.#target(at - 1, path.join('.'))
  }

  /** Binds what an assignment assigns to, whose last token is at an index. */
  #target(at: number, path: string, isInstance = false): void {
    if (this.#at(at) !== '}') {
      if (this.#tokens[at]?.kind === 'name') this.#bind(this.#at(at), path, isInstance)
      return
    }
    let [from, depth] = [at, 0]
    for (; from >= 0; from--) {
      if (this.#at(from) === '}') depth++
      if (this.#at(from) === '{' && --depth === 0) break
    }
    if (!isInstance) this.#names(from + 1, path)
  }

  /** The path of names from an index on, if the first one is bound; and where it ends. */
  #path(from: number): { bound: Bound; names: string[]; end: number } | undefined {
    if (this.#tokens[from]?.kind !== 'name' || ['.', '?'].includes(this.#at(from - 1))) {
      const isThis = this.#is(from - 2, 'this', '.')
      if (!isThis) return undefined
    }
    const bound = this.#bound.get(this.#at(from))
    if (bound === undefined) return undefined
    const names: string[] = []
    let at = from + 1
    for (;;) {
      if (this.#is(at, '?', '.')) at++
      if (this.#at(at) !== '.' || this.#tokens[at + 1]?.kind !== 'name') break
      names.push(this.#at(at + 1))
      at += 2
    }
    return { bound, names, end: at }
  }

  #full({ path }: Bound, names: readonly string[]): string {
    return [path, ...names].filter((part) => part !== '').join('.')
  }

  /** Variables that hold a part of the module, or an object of one of its classes. */
  #assignments(): void {
    for (const [at, { text }] of this.#tokens.entries()) {
      if (text !== '=' || ['=', '>'].includes(this.#at(at + 1))) continue
      let from = at + 1
      while (this.#at(from) === 'await') from++
      const isNew = this.#at(from) === 'new'
      const access = this.#path(isNew ? from + 1 : from)
      if (access === undefined) continue
      const path = this.#full(access.bound, access.names)
      const isCall = this.#at(access.end) === '('
      const product = FACTORIES[path] ?? MAKERS[path]
      if (isNew) this.#target(at - 1, path, true)
      else if (isCall && product !== undefined) this.#target(at - 1, product, true)
      else if (!isCall && !access.bound.isInstance) this.#target(at - 1, path)
    }
  }

  #use(name: string, at: number): void {
    this.uses.push({ name, line: (this.#tokens[at] as Token).line })
  }

  #accesses(): void {
    for (const at of this.#tokens.keys()) {
      const access = this.#path(at)
      if (access === undefined || this.#at(at + 1) === ':') continue
      const { bound, names, end } = access
      const path = this.#full(bound, names.slice(0, bound.isInstance ? 1 : undefined))
      if (names.length > 0 || (bound.path !== '' && !bound.isInstance)) this.#use(path, at)
      if (this.#at(end) === '(') this.#options(end + 1, CALLS[path] ?? path)
    }
  }

  /** The entries of objects among the arguments of a call, with those of objects in them. */
  #options(from: number, call: string): void {
    const groups: string[] = []
    let round = 1
    for (let at = from; at < this.#tokens.length && round > 0; at++) {
      const text = this.#at(at)
      if (text === '(') round++
      else if (text === ')') round--
      else if (text === '{') {
        const before = this.#at(at - 1) === ':' ? this.#at(at - 2) : undefined
        groups.push(groups.length === 0 ? call : (before ?? ''))
      } else if (text === '}') groups.pop()
      else if (round === 1 && groups.length > 0 && ['{', ','].includes(this.#at(at - 1))) {
        const isEntry = [':', ',', '}'].includes(this.#at(at + 1))
        if (isEntry && groups.at(-1) !== '') this.#use(`${groups.at(-1)}(${text})`, at)
      }
    }
  }
}

/** The names of a package that a program uses, in order, each once per line. */
export function usesOf(source: string, peer: string): Use[] {
  const all = new Map<string, Use>()
  for (const use of new Reader(source, peer).read()) all.set(`${use.line} ${use.name}`, use)
  return [...all.values()].sort((one, two) => one.line - two.line)
}
