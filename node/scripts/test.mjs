// Compiles the package and its tests, and runs them.
//
//  node scripts/test.mjs [PART-OF-A-FILE'S-NAME | FLAG-OF-NODE]...
//
// Without names, all tests run on this Node, the smoke programs on the other runtimes, and the
// tests of the fallback driver on Bun and Deno. Cassandra tests need a server
// (SPIKEWIRE_CASSANDRA_AT).

import { readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runtimes } from './runtimes.mjs'
import { attempt, bin, HERE, output, run } from './tools.mjs'

const BUILT = join(HERE, 'build', 'test')
/** How many files run at a time, each in its own process: most of them wait more than they compute. */
const TOGETHER = 4
const cassandra = Boolean(process.env.SPIKEWIRE_CASSANDRA_AT)
const SMOKE = ['smoke', ...(cassandra ? ['smoke-cql'] : [])]
const ELSEWHERE = [
  ...['admin', 'batch', 'faults', 'job', 'many', 'memory', 'operations', 'query', 'query-stream'],
  ...(cassandra ? ['cql', 'cql-faults', 'cql-many', 'cql-query', 'cql-types', 'cql-values'] : []),
]

/** The compiled test files in a folder and its subfolders. */
function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return files(path)
    return entry.name.endsWith('.test.js') ? [path] : []
  })
}

const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'))
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))

run(process.execPath, ['scripts/build.mjs'])
rmSync(join(HERE, 'build'), { recursive: true, force: true })
bin('tsc', ['--project', 'test'])
const chosen = files(BUILT)
  .filter(
    (file) => names.length === 0 || names.some((name) => relative(BUILT, file).includes(name)),
  )
  .sort()
if (chosen.length === 0) {
  console.error(`test.mjs: no test file has ${names.join(' or ')} in its name`)
  process.exit(1)
}
const settings = [
  '--enable-source-maps',
  '--test',
  `--test-concurrency=${TOGETHER}`,
  '--test-timeout=300000',
]
let failed = attempt(process.execPath, [...settings, ...flags, ...chosen]) !== 0

if (names.length === 0) {
  for (const { title, program, args, tests, reason } of runtimes()) {
    if (reason) {
      console.log(`${title}: left out: ${reason}`)
      continue
    }
    const calls = SMOKE.map((name) => [...args, join(BUILT, `${name}.js`)])
    if (tests) calls.push(...ELSEWHERE.map((name) => [...tests, join(BUILT, `${name}.test.js`)]))
    const waiting = calls.values()
    const work = async () => {
      for (const call of waiting) {
        const { code, text } = await output(program, call)
        console.log(`${title}: ${relative(BUILT, call.at(-1))}\n${text}`)
        if (code === 0) continue
        console.error(`${title}: FAILED`)
        failed = true
      }
    }
    await Promise.all(Array.from({ length: TOGETHER }, work))
  }
}
process.exit(failed ? 1 : 0)
