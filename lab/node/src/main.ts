#!/usr/bin/env node
/** `spikewire-bench`: puts a cluster under load, next to npm `aerospike` if that is installed. */

import { measureCalls } from './calls.js'
import { parseFlags, type Settings, USAGE } from './flags.js'
import { measureScans, type ScanLine } from './scans.js'
import { Session } from './session.js'
import { flawed, type Line } from './summary.js'

const FLAWED = 1
const REFUSED = 2
const INTERRUPTED = 130

async function run(args: string[]): Promise<number> {
  let settings: Settings | undefined
  try {
    settings = parseFlags(args)
  } catch (error) {
    process.stderr.write(`spikewire-bench: ${error instanceof Error ? error.message : error}\n`)
    return REFUSED
  }
  if (settings === undefined) {
    process.stdout.write(USAGE)
    return 0
  }
  const stop = new AbortController()
  const interrupt = () => stop.abort(new Error('interrupted'))
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    return await bench(settings, stop.signal)
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

async function bench(settings: Settings, signal: AbortSignal): Promise<number> {
  const session = await Session.open(settings, signal)
  const calls: Line[] = []
  const scans: ScanLine[] = []
  try {
    if (settings.scan === undefined) await measureCalls(session, calls)
    else await measureScans(session, scans)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    session.close()
  }
  for (const { client, unavailable } of session.skipped) {
    process.stdout.write(`skipped: ${client}: ${unavailable}\n`)
  }
  if (settings.json !== undefined) session.write(settings.json, [...calls, ...scans])
  if (signal.aborted) {
    process.stdout.write('interrupted: the results above are incomplete\n')
    return INTERRUPTED
  }
  const isFlawed = calls.some(flawed) || scans.some((line) => line.failures.length > 0)
  return isFlawed || calls.length + scans.length === 0 ? FLAWED : 0
}

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error)
    process.stderr.write(`spikewire-bench: ${text}\n`)
    process.exitCode = FLAWED
  },
)
