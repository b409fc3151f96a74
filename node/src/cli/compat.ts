/** `spikewire compat check`: what a program uses of packages that have drop-ins, and what differs. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type Finding, findingsOf, TABLES } from '../compat/check/findings.js'
import { type Description, read, UsageError } from './arguments.js'

const COMPAT: Description = {
  name: 'compat',
  rest: 'check PATH...',
  text:
    'Lists what the files of a program use of npm aerospike and cassandra-driver, and which of that ' +
    'differs in the drop-ins spikewire/compat/aerospike and spikewire/compat/cassandra-driver. Of ' +
    'folders, all files in JavaScript and TypeScript are read, without node_modules. The exit code ' +
    'is 1 if something is missing.',
  options: {
    all: { help: 'list names that are the same, too' },
    json: { help: 'print the findings as JSON' },
  },
}

const ENDINGS = ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.cts', '.mts', '.tsx']

/** The files of a program below a path. */
function* filesBelow(path: string): Generator<string> {
  if (!statSync(path).isDirectory()) {
    yield path
    return
  }
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue
    const inside = join(path, entry.name)
    if (entry.isDirectory()) yield* filesBelow(inside)
    else if (entry.isFile() && ENDINGS.includes(extname(entry.name))) yield inside
  }
}

const ORDER = { missing: 0, differs: 1, same: 2 } as const

/** Findings by package and name, the most urgent first. */
function grouped(findings: readonly Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>()
  const sorted = [...findings].sort(
    (one, two) => ORDER[one.verdict] - ORDER[two.verdict] || (one.name < two.name ? -1 : 1),
  )
  for (const finding of sorted) {
    const key = `${finding.peer} ${finding.name}`
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  return groups
}

/** `file:1,2, other:3`. */
function places(findings: readonly Finding[]): string {
  const lines = new Map<string, number[]>()
  for (const { file, line } of findings) {
    lines.set(file, [...(lines.get(file) ?? []), line])
  }
  return [...lines].map(([file, numbers]) => `${file}:${numbers.join(',')}`).join(', ')
}

function summary(findings: readonly Finding[], files: number): string {
  const read = `${files} file${files === 1 ? '' : 's'}`
  const peers = TABLES.filter(({ peer }) => findings.some((it) => it.peer === peer))
  if (peers.length === 0) return `${read}: no package that has a drop-in.\n`
  const names = new Map(findings.map((it) => [`${it.peer} ${it.name}`, it.verdict]))
  const count = (verdict: Finding['verdict']) =>
    [...names.values()].filter((it) => it === verdict).length
  const counts = `${count('same')} the same, ${count('differs')} different, ${count('missing')} missing`
  const imports = peers.map(({ peer, dropIn }) => `'${peer}' by '${dropIn}'`).join(', ')
  return `${read}: ${names.size} names, ${counts}.\nTo move, replace the import of ${imports}.\n`
}

/** Runs the command. */
export async function run(args: string[]): Promise<number> {
  const flags = read(COMPAT, args)
  if (flags === undefined) return 0
  const [what, ...paths] = flags.rest
  if (what !== 'check') throw new UsageError(`unknown command ${JSON.stringify(what ?? '')}: check`)
  if (paths.length === 0) throw new UsageError('a file or a folder is required')
  let files = 0
  const findings: Finding[] = []
  for (const path of paths) {
    try {
      for (const file of filesBelow(path)) {
        files++
        findings.push(...findingsOf(readFileSync(file, 'utf8'), file))
      }
    } catch (error) {
      throw new UsageError((error as Error).message)
    }
  }
  const all = flags.list('all').length > 0
  if (flags.list('json').length > 0) {
    process.stdout.write(`${JSON.stringify({ files, findings }, null, 2)}\n`)
  } else {
    for (const group of grouped(findings).values()) {
      const { peer, name, verdict, about } = group[0] as Finding
      if (verdict === 'same' && !all) continue
      const text = about === '' ? '' : `: ${about}`
      process.stdout.write(`${verdict.padEnd(8)}${peer} ${name}${text}\n        ${places(group)}\n`)
    }
    process.stdout.write(summary(findings, files))
  }
  return findings.some((it) => it.verdict === 'missing') ? 1 : 0
}
