/** `spikewire serve` and `spikewire info`. */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { Client } from 'spikewire'
import { Cluster } from 'spikewire/testing'

const MAIN = join(
  dirname(createRequire(import.meta.url).resolve('spikewire/package.json')),
  'dist/cli/main.js',
)

function command(args: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Everything written to a stream. */
async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = ''
  if (stream !== null) for await (const part of stream) text += part
  return text
}

/** Runs a command to its end. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const process = command(args)
  const [out, err, [code]] = await Promise.all([
    textOf(process.stdout),
    textOf(process.stderr),
    once(process, 'exit'),
  ])
  return { code, out, err }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`serve reports when it is ready, and ${signal} ends it cleanly`, async () => {
    const args = ['--port', '0', '--nodes', '2', '--namespace', 'one', '--namespace', 'two']
    const served = command(['serve', ...args])
    const error = textOf(served.stderr)
    try {
      const lines = createInterface({ input: served.stdout as NodeJS.ReadableStream })
      const [line] = (await once(lines, 'line')) as [string]
      assert.match(line, /^ready 127\.0\.0\.1:\d+,127\.0\.0\.1:\d+$/)
      await using client = await Client.connect(line.slice('ready '.length))
      const two = client.dataset('two', 's')
      await two.put('a', { n: 1 })
      assert.equal((await two.get('a')).bins['n'], 1)
      // Clients that are still connected do not delay the end.
      served.kill(signal)
      assert.deepEqual(await once(served, 'exit'), [0, null])
      assert.equal(await error, '')
    } finally {
      served.kill('SIGKILL')
    }
  })
}

test('a busy port is named', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { code, out, err } = await run('serve', '--port', String(port))
  server.close()
  assert.deepEqual([code, out, err.split('\n').length], [1, '', 2])
  assert.match(err, new RegExp(`^spikewire: .*127\\.0\\.0\\.1:${port}: .*in use`))
})

const BAD: [args: string[], code: number, error: RegExp][] = [
  [['serve', '--nodes', '0'], 2, /nodes must be from 1/],
  [['serve', '--nodes', 'x'], 2, /--nodes must be a whole number, got "x"/],
  [['serve', '--port', '70000'], 2, /port must be from 0 to 65535/],
  [['serve', '--bind', 'nowhere'], 2, /bind must be an IP address/],
  [['serve', '--nodes', '2', '--racks', '1'], 2, /racks/],
  [['serve', '--racks', '1,a'], 2, /--racks takes numbers separated by commas/],
  [['serve', '--quotas'], 2, /--quotas goes with --user/],
  [['serve', '--udf-time', '-1'], 2, /--udf-time/],
  [['serve', '--strong-consistency-allow-expunge'], 2, /needs strongConsistency/],
  [['serve', '--nope'], 2, /--nope/],
  [['serve', 'more'], 2, /more/],
  [['serve', '--nodes', '1', '--nodes', '2'], 2, /--nodes is given 2 times/],
  [['serves'], 2, /unknown command "serves"/],
  [['bench', '-z', '4'], 2, /a project of its own, lab\/ in the repository.*lab-node/],
  [['info', '-H', '127.0.0.1:1'], 1, /127\.0\.0\.1:1/],
]

for (const [args, expected, error] of BAD) {
  test(`spikewire ${args.join(' ')} reports the error`, async () => {
    const { code, out, err } = await run(...args)
    assert.match(err, error)
    assert.doesNotMatch(err, /\n {4}at /)
    assert.deepEqual([code, out], [expected, ''])
  })
}

test('help and version are printed', async () => {
  const { version } = createRequire(import.meta.url)('spikewire/package.json')
  assert.equal((await run('--version')).out, `spikewire ${version}\n`)
  const all = await run('--help')
  assert.equal(all.code, 0)
  for (const name of ['serve', 'info', 'build'])
    assert.match(all.out, new RegExp(`^ {2}${name} `, 'm'))
  const serve = await run('serve', '--help')
  assert.equal(serve.code, 0)
  assert.match(serve.out, /^usage: spikewire serve/)
  const NAMES = ['nodes', 'namespace', 'replication-factor', 'indexed-set', 'cluster-name']
  for (const name of [...NAMES, 'nsup-period', 'build', 'racks', 'udf-time', 'session-ttl']) {
    assert.match(serve.out, new RegExp(`--${name} `))
  }
  assert.ok(serve.out.split('\n').every((line) => line.length <= 80))
})

test('info shows the nodes and their answers', async () => {
  await using cluster = await Cluster.start({ nodes: 3 })
  const nodes = await run('info', '-H', cluster.seeds)
  assert.deepEqual([nodes.code, nodes.err], [0, ''])
  assert.equal(nodes.out.trim().split('\n').length, 3)
  const answers = await run(
    'info',
    '--hosts',
    cluster.addresses[0] as string,
    'build',
    'namespaces',
  )
  assert.equal(answers.code, 0)
  assert.equal(answers.out.match(/^ {2}build: \d/gm)?.length, 3)
  assert.equal(answers.out.match(/^ {2}namespaces: test$/gm)?.length, 3)
  const wrong = await run('info', '-H', cluster.seeds, 'nonsense', 'build')
  assert.equal(wrong.code, 1)
  assert.equal(wrong.out.match(/^ {2}build: \d/gm)?.length, 3)
  assert.equal(wrong.err.match(/^ {2}nonsense: /gm)?.length, 3)
})
