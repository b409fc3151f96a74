/** Runs every example. */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { output, PACKAGE, temporaryFolder } from './support/programs.js'

const FOLDER = join(PACKAGE, 'build', 'examples')

/** A line that each example must print. */
const SAYS: Record<string, string> = {
  cluster: '11 requests, 1 process replaced, exit codes 0,0',
  errors: 'timed out after 1 attempt(s), in doubt: true',
  express: '{"cart":["tea","milk"],"euro":5}',
  fastify: '200 {"name":"alice","visits":2}',
  job_queue: '60 jobs done, 7 squared is 49',
  keyv: '{ euro: 3 } 12 false',
  nestjs: '404 {"message":"Not Found","statusCode":404}',
  next_route: '404 {"error":"no gold"}',
  quickstart: '0 1 4 9 16 25 36 49 64 81',
  stream_to_file: '5000 lines, not empty',
  'users.test': '# pass 2',
  worker_threads: '4 threads, 800 rounds',
}

for (const name of readdirSync(FOLDER).filter(
  (file) => file.endsWith('.js') && file !== 'seeds.js',
)) {
  test(name, async (test) => {
    const expected = SAYS[name.replace(/\.js$/, '')]
    assert.ok(expected !== undefined, `SAYS has no line for ${name}`)
    // For the example that is a test: makes all versions of Node report in the same format.
    const args = ['--enable-source-maps', '--test-reporter=tap', join(FOLDER, name)]
    const printed = await output(process.execPath, args, { cwd: temporaryFolder(test) })
    assert.ok(printed.split('\n').includes(expected), printed)
  })
}
