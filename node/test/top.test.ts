/** `spikewire top`, against the endpoint of a program. */

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { Client } from 'spikewire'
import { startMetricsServer } from 'spikewire/metrics'
import { Cluster } from 'spikewire/testing'
import { PACKAGE, type Ran, run } from './support/programs.js'

/** Longer than anything here takes on a loaded machine, in seconds. */
const LONG = 60
const MAIN = join(PACKAGE, 'dist/cli/main.js')

function top(...args: string[]): Promise<Ran> {
  return run(process.execPath, [MAIN, 'top', ...args], { timeout: LONG * 1000 })
}

/** The endpoint of a program that reads existing and missing records all the time. */
async function endpoint(t: TestContext): Promise<string> {
  const cluster = await Cluster.start({ nodes: 2 })
  const client = await Client.connect(cluster.seeds)
  client.metrics.enable({ stages: true })
  const users = client.dataset('test', 'users')
  await users.put(1, { n: 1 })
  let goesOn = true
  const work = (async () => {
    while (goesOn) {
      await users.get(1)
      await users.get('nobody', { default: null })
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const server = await startMetricsServer(client)
  t.after(async () => {
    goesOn = false
    await work
    await server.close()
    await client.close()
    await cluster.close()
  })
  return `127.0.0.1:${server.port}`
}

/** A server that answers with one text after the other, and the last one from then on. */
async function answering(t: TestContext, ...texts: string[]): Promise<string> {
  let at = 0
  const server: Server = createServer((_, response) => {
    response.end(texts[Math.min(at++, texts.length - 1)])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function metricsOf(gets: number, failed: number, fast: number, node = 'A 1:2'): string {
  const series = (result: string, all: number, within: number): string => {
    const labels = `operation="get",namespace="te\\"st",node="${node}",result="${result}"`
    const name = 'spikewire_command_duration_seconds'
    return (
      `${name}_bucket{${labels},le="0.001"} ${within}\n` +
      `${name}_bucket{${labels},le="0.002"} ${all}\n` +
      `${name}_bucket{${labels},le="+Inf"} ${all}\n` +
      `${name}_sum{${labels}} 0.5\n${name}_count{${labels}} ${all}\n`
    )
  }
  return (
    '# HELP of_another_library 1\nof_another_library 5\n' +
    series('ok', gets, fast) +
    series('timeout', failed, failed) +
    `spikewire_node_connections{node="${node}"} 3\nspikewire_node_connections{node="B 1:3"} 1\n` +
    'spikewire_node_breaker_open{node="B 1:3"} 1\n' +
    'spikewire_commands_in_flight 4\nspikewire_commands_queued 2\nspikewire_counting 1\n'
  )
}

const once = ['--once', '--interval', '0.2']

test('rates and latencies are what came in between', async (t) => {
  const url = await answering(t, metricsOf(100, 0, 100), metricsOf(300, 20, 100))
  const { code, stdout } = await top(url, '--json', ...once)
  assert.equal(code, 0)
  const view = JSON.parse(stdout)
  const close = (one: number, other: number): void =>
    assert.ok(Math.abs(one - other) < 1e-6 * other, `${one} ${other}`)
  close(view.total.rate * view.seconds, 220)
  close(view.total.errors * view.seconds, 20)
  assert.deepEqual([view.in_flight, view.queued, view.counting], [4, 2, true])
  const [line] = view.operations
  assert.equal(line.name, 'get te"st')
  assert.deepEqual(Object.keys(line.results), ['ok', 'timeout'])
  // 200 of 220 took 1 to 2 ms, the others less.
  close(line.p50, 0.001 + (0.001 * (110 - 20)) / 200)
  close(line.p99, 0.001 + (0.001 * (217.8 - 20)) / 200)
  const [first, second] = view.nodes
  assert.deepEqual([first.name, first.connections, first.breaker_open], ['A 1:2', 3, false])
  assert.deepEqual([second.name, second.rate, second.p99], ['B 1:3', 0, null])
  assert.deepEqual([second.connections, second.breaker_open], [1, true])
})

test('after a restart of the program everything counts', async (t) => {
  const url = await answering(t, metricsOf(300, 20, 100), metricsOf(10, 0, 10))
  const view = JSON.parse((await top(url, '--json', ...once)).stdout)
  assert.ok(Math.abs(view.total.rate * view.seconds - 10) < 1e-6)
})

test('output for programs, as from Python', async (t) => {
  const { code, stdout, stderr } = await top(await endpoint(t), '--once', '--json', '-i', '0.3')
  assert.deepEqual([code, stderr], [0, ''])
  const view = JSON.parse(stdout)
  assert.ok(view.total.rate > 0)
  const get = view.operations.find(({ name }: { name: string }) => name === 'get test')
  assert.ok(get.p50 > 0 && get.p50 <= get.p99 && get.p99 < LONG)
  assert.deepEqual(Object.keys(get.results).sort(), ['not_found', 'ok'])
  assert.equal(get.errors, 0)
  assert.equal(view.nodes.length, 2)
  const stages = view.stages.map(({ name }: { name: string }) => name)
  for (const stage of ['encode', 'queue', 'wire', 'hand_over']) assert.ok(stages.includes(stage))
  assert.deepEqual(Object.keys(view), [
    ...['seconds', 'counting', 'in_flight', 'queued', 'retries', 'denied', 'total', 'operations'],
    ...['nodes', 'stages', 'hot_keys', 'hit_rate'],
  ])
})

test('a table, in which nothing is cut where there is no width', async (t) => {
  const url = await endpoint(t)
  const { code, stdout } = await top(url, ...once)
  assert.equal(code, 0)
  assert.match(stdout, new RegExp(`^http://${url}/metrics\n`))
  assert.match(stdout, /get test .*not_found/)
  assert.match(stdout, /connections {2}breaker {2}limit {2}waiting {2}rejected\/s/)
  for (const char of ['…', '\x1b']) assert.ok(!stdout.includes(char))
})

test('hot keys and limits are shown where there are any', async (t) => {
  const more =
    'spikewire_near_cache_hits_total 50\nspikewire_node_limit{node="A 1:2"} 64\n' +
    'spikewire_hot_key_reads_per_second{namespace="test",set="users",digest="ab01"} 1200\n'
  const url = await answering(t, metricsOf(1, 0, 1) + more, metricsOf(9, 0, 9) + more)
  const { stdout } = await top(url, ...once)
  assert.match(stdout, /near cache 0\/s/)
  assert.match(stdout, /^hot key {2}per s {2}of\nab01 {5}1,200 {2}test users$/m)
  assert.match(stdout, /^A 1:2 .* 64$/m)
})

test('commands that are not counted are pointed at', async (t) => {
  const url = await answering(t, 'spikewire_counting 0\nspikewire_commands_in_flight 0\n')
  const { stdout } = await top(url, ...once)
  assert.match(stdout, /Commands are not counted: client\.metrics\.enable\(\)/)
})

test('invalid arguments and endpoints are errors of the command', async (t) => {
  const failing = async (message: RegExp, code: number, ...args: string[]): Promise<void> => {
    const ran = await top(...args)
    assert.match(ran.stderr, message)
    assert.deepEqual([ran.code, ran.stdout], [code, ''])
    assert.doesNotMatch(ran.stderr, /\n {4}at /)
  }
  await failing(/one URL is needed, got 0/, 2)
  await failing(/one URL is needed, got 2/, 2, 'a', 'b')
  await failing(/is not the address of metrics/, 1, 'ftp://h/metrics')
  await failing(/is not the address of metrics/, 1, 'http://')
  await failing(/must be from 0.05 to 3600, got 0/, 2, 'h:1', '--interval', '0')
  await failing(/must be a number of seconds, got "often"/, 2, 'h:1', '-i', 'often')
  await failing(/127\.0\.0\.1:1\/metrics: /, 1, '127.0.0.1:1', '--once')
  const other = await answering(t, 'up 1\n')
  await failing(/none of a Spikewire client/, 1, other, '--once')
  const help = await top('--help')
  assert.match(help.stdout, /usage: spikewire top \[OPTIONS\] URL/)
})

for (const [what, reply] of Object.entries({
  nonsense: 'nonsense\r\n\r\n',
  nothing: '',
  cut: 'HTTP/1.0 200 OK\r\nContent-Length: 999\r\n\r\nspikewire_x 1\n',
  unavailable: 'HTTP/1.0 503 No\r\n\r\n# the client is closed\n',
})) {
  test(`a reply that is ${what} is an error of the command`, async (t) => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(reply))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const { code, stderr } = await top(`127.0.0.1:${port}`, '--once')
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`^spikewire: http://127.0.0.1:${port}/metrics: \\S`))
    assert.doesNotMatch(stderr, /\n {4}at /)
    if (what === 'unavailable') assert.match(stderr, /status 503: the client is closed/)
  })
}

test('numbers that are none are left out', async (t) => {
  const odd =
    'spikewire_command_duration_seconds_bucket{node="A",le="wide"} 5\n' +
    'spikewire_command_duration_seconds_bucket{node="A",le="NaN"} 5\n' +
    'spikewire_commands_in_flight NaN\nspikewire_commands_queued +Inf\nspikewire_commands_queued x\n'
  const url = await answering(t, metricsOf(100, 0, 100) + odd, metricsOf(200, 0, 200) + odd)
  const view = JSON.parse((await top(url, '--json', ...once)).stdout)
  assert.deepEqual([view.in_flight, view.queued], [4, 2])
})

const hasScript = spawnSync('script', ['--version']).status === 0
const inTerminal = { skip: hasScript ? false : 'the program `script` is not installed' }

/**
 * Runs the command in a terminal of 80 columns until its output matches, then interrupts it.
 * Returns what it wrote.
 */
async function interrupted(url: string, shows: RegExp): Promise<string> {
  const command = `stty cols 80 rows 30; exec ${process.execPath} ${MAIN} top ${url} --interval 0.1`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm' },
    timeout: LONG * 1000,
  })
  let text = ''
  let isSent = false
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more
    if (isSent || !shows.test(text)) return
    isSent = true
    child.stdin.write('\x03')
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 0, text.slice(-2000))
  return text
}

/** The lines of the last screen, without codes. */
function lastScreen(text: string): string[] {
  const [screen] = (text.split('\x1b[H').at(-1) as string).split('\x1b[J') as [string]
  return stripVTControlCharacters(screen).split(/\r?\n/)
}

test('Ctrl-C ends it and leaves the terminal as it was', inTerminal, async (t) => {
  const text = await interrupted(await endpoint(t), /get test/)
  assert.ok(text.includes('\x1b[?1049h'))
  assert.ok(text.lastIndexOf('\x1b[?1049l') > text.lastIndexOf('\x1b[?1049h'))
  assert.ok(text.lastIndexOf('\x1b[?25h') > text.lastIndexOf('\x1b[?25l'))
  assert.doesNotMatch(text, /AbortError|\n {4}at /)
})

test('narrow screens shorten names, not numbers', inTerminal, async (t) => {
  const node = 'BB900009E5F0002 127.0.0.1:40001'
  const texts = Array.from({ length: 200 }, (_, at) =>
    metricsOf(100 + 290 * at, at * 20, 100 + 190 * at, node),
  )
  const text = await interrupted(await answering(t, ...texts), /BB9/)
  const lines = lastScreen(text)
  assert.ok(Math.max(...lines.map((line) => line.length)) <= 80, lines.join('\n'))
  const head = lines.find((line) => line.startsWith('node'))
  assert.deepEqual(head?.split(/\s{2,}/).slice(0, 7), [
    ...['node', 'per s', 'p50', 'p99', 'errors/s', 'connections', 'breaker'],
  ])
  const row = lines.find((line) => line.startsWith('BB9'))
  assert.match(row as string, /^BB9\S*(?: \S*)?… +[\d,]+ +\d+ µs +1\.\d+ ms +[\d.]+ +3 /)
})

test('control characters of servers do not reach the terminal', inTerminal, async (t) => {
  const node = '[red]\x1b]0;title\x07\x9b2J\\nA'
  const url = await answering(
    t,
    `spikewire_counting 1\nspikewire_node_connections{node="${node}"} 3\n`,
  )
  const text = await interrupted(url, /title/)
  assert.ok(lastScreen(text).some((line) => line.startsWith('[red]\\x1b]0;title\\x07\\x9b2J')))
  for (const code of ['\x1b]', '\x07', '\x9b']) assert.ok(!text.includes(code))
})
