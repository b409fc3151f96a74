/** `tools/npm_tests.py --sentences ignore`: which comparisons of the package's tests are left out. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PACKAGE } from './support/programs.js'

const PRELOAD = join(PACKAGE, '../tools/npm_sentences.cjs')
const skip = existsSync(PRELOAD) ? false : 'needs the repository'

/** Which of the lines fail, each in the place of a test's line. */
function failing(t: TestContext, lines: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'spikewire-sentences-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'test'))
  symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
  const program = [
    `const { expect } = require('chai')`,
    `class Own extends Error { constructor(text, code) { super(text); this.code = code } }`,
    `const thrower = (error) => () => { throw error }`,
    `const status = { getMessage: (code) => ['a', 'b', '', 'b'][code] }`,
    `const error = new Own('a', 1)`,
    `const mute = new Own('', 1)`,
    `const trimmed = error.message.trim()`,
    `const cases = []`,
    ...lines.map((line) => `cases.push(() => { ${line} })`),
    `const fails = (run) => { try { run(); return false } catch { return true } }`,
    `console.log(JSON.stringify(cases.map(fails)))`,
  ]
  const file = join(folder, 'test', 'cases.js')
  writeFileSync(file, program.join('\n'))
  const { stdout, stderr } = spawnSync(process.execPath, ['--require', PRELOAD, file], {
    cwd: folder,
  })
  assert.equal(stderr.toString(), '')
  const fails = JSON.parse(stdout.toString()) as boolean[]
  return lines.filter((_, at) => fails[at])
}

test('the words of messages do not count', { skip }, (t) => {
  const lines = [
    `expect(error.message).to.eql('x')`,
    `expect(error?.message).to.match(/x/)`,
    `expect(error.message).to.contain('x')`,
    `expect(trimmed).to.equal('x')`,
    `expect(error).to.have.property('message', 'x')`,
    `expect(thrower(error)).to.throw('x')`,
    `expect(thrower(error)).to.throw(Own, 'x')`,
    `expect(thrower(error)).to.throw(Own, /x/)`,
    `expect(status.getMessage(0)).to.equal('x')`,
    `expect(status.getMessage(1)).to.equal('y')`,
    `expect([1, 2]).to.include(1)`,
    `expect({ a: 1, b: 2 }).to.contain.keys('a')`,
  ]
  assert.deepEqual(failing(t, lines), [])
})

test('everything else counts', { skip }, (t) => {
  const lines = [
    `expect(mute.message).to.eql('x')`,
    `expect(undefined?.message).to.eql('x')`,
    `expect({ message: 3 }.message).to.eql('x')`,
    `expect(error.message).to.not.eql('a')`,
    `expect(error.code).to.eql(2)`,
    `expect(error.name).to.eql('x')`,
    `expect(error).to.have.property('code', 2)`,
    `expect(mute).to.have.property('message', 'x')`,
    `expect(() => {}).to.throw('x')`,
    `expect(() => {}).to.throw(Own, 'x')`,
    `expect(thrower(new TypeError('a'))).to.throw(Own, 'x')`,
    `expect(thrower(mute)).to.throw(Own, 'x')`,
    `expect(status.getMessage(2)).to.equal('x')`,
    `expect({ bins: { text: 'a' } }.bins.text).to.eql('x')`,
    `expect(['a']).to.include('x')`,
  ]
  assert.deepEqual(failing(t, lines), lines)
})

test('two statuses cannot share a sentence', { skip }, (t) => {
  const lines = [
    `expect(status.getMessage(1)).to.equal('x')`,
    `expect(status.getMessage(1)).to.equal('x')`,
    `expect(status.getMessage(3)).to.equal('y')`,
  ]
  assert.deepEqual(failing(t, lines), lines.slice(2))
})
