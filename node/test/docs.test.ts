/**
 * Tests the documentation: its TypeScript blocks compile with all strictness, and run.
 *
 * The `ts` blocks of a page form one program, from top to bottom; each `js` block is a separate
 * CommonJS program. A line `console.log(...) // text` must print exactly that text, in that order.
 */

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { Batch, Client, type ClientOptions, Dataset, Job } from 'spikewire'
import {
  Batch as CqlBatch,
  Query as CqlQuery,
  connect,
  Prepared,
  Rows,
  Session,
  type SessionOptions,
} from 'spikewire/cql'
import { aerospike, withoutAerospike } from './support/aerospike.js'
import { withoutCassandra } from './support/cassandra.js'
import { output, PACKAGE, REPOSITORY, run, temporaryFolder } from './support/programs.js'

const CASSANDRA = 'docs/node-cassandra.md'
const COMPAT_CASSANDRA = 'docs/compat-npm-cassandra.md'
const CLIENT = [
  'docs/node.md',
  'docs/node-builder.md',
  'docs/node-observability.md',
  'docs/node-opening.md',
  'docs/node-operations.md',
  'docs/node-programs.md',
  'docs/node-queries.md',
  'docs/node-types.md',
  'docs/node-frameworks.md',
  'docs/starting.md',
]
const PAGES = [
  ...CLIENT,
  'docs/side-by-side.md',
  'docs/embedded-cluster.md',
  'docs/compat-npm-aerospike.md',
  'node/README.md',
  CASSANDRA,
  COMPAT_CASSANDRA,
]
// Inside the package, so that programs can import it by name.
const FOLDER = join(PACKAGE, 'build', 'docs')
const SAID = /^\s*console\.log\(.*\) \/\/ (.+)$/

/** A block of code, and the number of its first line on the page. */
interface Block {
  start: number
  lines: string[]
}

/** The blocks of a page in one language. */
function blocks(page: string, language: string): Block[] {
  const matches: Block[] = []
  let opened: string | undefined
  for (const [number, line] of readFileSync(join(REPOSITORY, page), 'utf8').split('\n').entries()) {
    if (line.startsWith('```')) {
      opened = opened === undefined ? line.slice(3) : undefined
      if (opened === language) matches.push({ start: number + 1, lines: [] })
    } else if (opened === language) {
      matches.at(-1)?.lines.push(line)
    }
  }
  return matches
}

/** Blocks as one program, on their original lines, so that errors point there. */
function program(parts: Block[]): string {
  const lines: string[] = []
  for (const { start, lines: more } of parts) {
    while (lines.length < start) lines.push('')
    lines.push(...more)
  }
  return `${lines.join('\n')}\n`
}

/** The programs of a page: the file to run, the source file, the text. */
function programs(page: string): { file: string; source: string; text: string }[] {
  const stem = page.replace('/', '-').replace(/\.md$/, '')
  const typescript = {
    file: `${stem}.mjs`,
    source: `${stem}.mts`,
    text: program(blocks(page, 'ts')),
  }
  const others = blocks(page, 'js').map((block, index) => {
    const file = `${stem}-${index + 1}.cjs`
    return { file, source: file, text: program([block]) }
  })
  return [typescript, ...others]
}

/** Asserts that a program printed what its comments say, in that order. */
function assertPrinted(page: string, text: string, stdout: string): void {
  const printed = stdout.split('\n')
  let at = 0
  for (const line of text.split('\n')) {
    const expected = SAID.exec(line)?.[1]
    if (expected === undefined) continue
    const position = printed.indexOf(expected, at)
    assert.notEqual(position, -1, `${page}: ${line.trim()}\nprinted:\n${stdout}`)
    at = position + 1
  }
}

before(async () => {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const { source, text } of PAGES.flatMap(programs)) writeFileSync(join(FOLDER, source), text)
  const settings = {
    extends: '../../tsconfig.json',
    compilerOptions: { declaration: false, sourceMap: true, rootDir: '.', outDir: '.' },
    include: [],
    files: PAGES.flatMap(programs).flatMap(({ source }) => (source.endsWith('.mts') ? source : [])),
  }
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(PACKAGE, 'node_modules/typescript/bin/tsc')
  const { code, stdout } = await run(process.execPath, [compiler, '--project', FOLDER])
  assert.equal(code, 0, stdout)
})

for (const page of PAGES) {
  for (const { file, text } of programs(page)) {
    const skip = [CASSANDRA, COMPAT_CASSANDRA].includes(page) && withoutCassandra
    test(`${page}: ${file}`, { skip }, async (test) => {
      const args = ['--enable-source-maps', join(FOLDER, file)]
      const stdout = await output(process.execPath, args, { cwd: temporaryFolder(test) })
      assertPrinted(page, text, stdout)
    })
  }
}

/** Pages without their code. */
function prose(...pages: string[]): string {
  const texts = pages.map((page) => readFileSync(join(REPOSITORY, page), 'utf8'))
  return texts.join('\n').replace(/```[\s\S]*?```/g, '')
}

const CLIENT_PROSE = prose(...CLIENT)

/** The public members of a class and its base classes. */
function members(kind: { prototype: object }): string[] {
  const matches: string[] = []
  for (let at = kind.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    matches.push(...Object.getOwnPropertyNames(at))
  }
  return matches.filter((name) => !['constructor', 'spaceOf', 'wireOf', 'ofRecord'].includes(name))
}

for (const [name, kind] of Object.entries({ Client, Dataset, Batch, Job })) {
  test(`docs/node*.md mention all members of ${name}`, () => {
    const missing = members(kind).filter(
      (member) => !new RegExp(`\\b${member}\\b`).test(CLIENT_PROSE),
    )
    assert.deepEqual(missing, [])
  })
}

test('docs/client-options.md mentions all options of a client', async () => {
  const page = prose('docs/client-options.md')
  const options = { noSuchOption: true } as unknown as ClientOptions
  const failure = await Client.connect('127.0.0.1:1', options).catch((error: Error) => error)
  const names = /there are: (.*)$/.exec((failure as Error).message)?.[1]?.split(', ') ?? []
  assert.ok(names.includes('timeout'))
  assert.deepEqual(
    names.filter((name) => !page.includes(`| \`${name}\` |`)),
    [],
  )
})

const CQL_PROSE = prose(CASSANDRA)

for (const kind of [Session, Prepared, CqlQuery, CqlBatch, Rows]) {
  test(`docs/node-cassandra.md mentions all members of ${kind.name}`, () => {
    const inner = ['order', 'take', 'takeOne', 'next', 'return', 'add']
    const named = members(kind).filter((member) => !inner.includes(member))
    assert.deepEqual(
      named.filter((member) => !new RegExp(`\\b${member}\\b`).test(CQL_PROSE)),
      [],
    )
  })
}

test('docs/session-options.md mentions all options of a session', async () => {
  const page = prose('docs/session-options.md')
  const options = { noSuchOption: true } as SessionOptions
  const failure = await connect('127.0.0.1:1', options).catch((error: Error) => error)
  const names = /there are: (.*)$/.exec((failure as Error).message)?.[1]?.split(', ') ?? []
  assert.ok(names.includes('timeout'))
  assert.deepEqual(
    names.filter((name) => !new RegExp(`^\\|.*\`${name}\`.* \\|`, 'm').test(page)),
    [],
  )
})

test('what docs/from-npm-aerospike.md says about npm aerospike exists', {
  skip: withoutAerospike,
}, () => {
  const theirs = aerospike()
  const rows = prose('docs/from-npm-aerospike.md').match(/^\| .* \| .* \|$/gm) ?? []
  const left = rows.map((row) => row.split(' | ')[0] as string)
  const used = left.flatMap((cell) =>
    [...cell.matchAll(/\bclient\.(\w+)/g)].map((m) => m[1] as string),
  )
  assert.ok(used.length > 20)
  assert.deepEqual(
    used.filter((name) => !(name in theirs.Client.prototype)),
    [],
  )
})
