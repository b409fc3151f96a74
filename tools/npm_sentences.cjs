// Lets mocha's tests of npm aerospike pass where all that differs is the wording of a sentence:
//
//   mocha --require tools/npm_sentences.cjs    (tools/npm_tests.py --sentences ignore)
//
// A comparison that fails is left out if it compares two sentences, which is when all of this holds:
//
// - What is compared is an error's `message`, in the line of the test or by the name of a constant that the
//   file takes from one, or what `status.getMessage` returns, or the sentence in `throw(class, sentence)`.
// - Both sides are texts, and neither is empty. (In `throw`, the error has a message, and is of the class.)
// - For `getMessage`: no two sentences of the package stand for the same one here, so that each status still
//   has a sentence of its own.
//
// Everything else is compared: whether there is an error at all, its class, its code, its other properties,
// negations. SENTENCES names a file for the comparisons that were left out, a line of JSON for each.

'use strict'

const fs = require('node:fs')
const path = require('node:path')

const FOLDER = path.join(process.cwd(), 'test') + path.sep
const chai = require(require.resolve('chai', { paths: [process.cwd()] }))
const COMPARISONS = ['equal', 'equals', 'eq', 'eql', 'eqls', 'match', 'matches', 'string']
const CONTAINS = ['include', 'includes', 'contain', 'contains']
const SENTENCE = /\bmessage\b|\bgetMessage\(/

/** The package's sentence for each of `getMessage` here. */
const meanings = new Map()
const sources = new Map()

/** The file, line number and text of the test's line that runs. */
function currentLine() {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  const { stack } = new Error()
  Error.stackTraceLimit = limit
  const at = stack.indexOf(FOLDER)
  const [, file, line] = /^(.*?):(\d+)/.exec(at < 0 ? '' : stack.slice(at)) ?? []
  if (file === undefined) return undefined
  if (!sources.has(file)) sources.set(file, fs.readFileSync(file, 'utf8'))
  const source = sources.get(file)
  return { file, line: Number(line), source, text: source.split('\n')[line - 1] }
}

/** What the line expects something of, such as `error.message`. */
function subjectOf({ text, source }) {
  const subject = /expect\)?\((.*?)\)\s*\.(?:to|is|be)\b/.exec(text)?.[1] ?? ''
  if (!/^\w+$/.test(subject)) return subject
  const from = new RegExp(`\\b(?:const|let|var)\\s+${subject}\\s*=\\s*([^;]*)`).exec(source)
  return from?.[1] ?? subject
}

const isText = (value) => typeof value === 'string' && value.trim() !== ''

/** Whether the comparison of these two at the line of the test that runs is one of sentences. */
function isOfSentences(actual, expected, known) {
  const isSentence = isText(actual) && (isText(expected) || expected instanceof RegExp)
  const here = isSentence ? currentLine() : undefined
  if (here === undefined) return false
  const subject = known ?? subjectOf(here)
  if (!SENTENCE.test(subject)) return false
  if (/getMessage\(/.test(subject)) {
    const meaning = meanings.get(actual) ?? String(expected)
    if (meaning !== String(expected)) return false
    meanings.set(actual, meaning)
  }
  if (process.env.SENTENCES) {
    const place = `${path.basename(here.file)}:${here.line}`
    const entry = { place, actual, expected: String(expected) }
    fs.appendFileSync(process.env.SENTENCES, `${JSON.stringify(entry)}\n`)
  }
  return true
}

/** Runs a comparison; one of sentences may fail. */
function compare(assertion, run, expected) {
  const { flag } = assertion.utils
  try {
    run()
  } catch (error) {
    const actual = flag(assertion.self, 'object')
    if (flag(assertion.self, 'negate') || !isOfSentences(actual, expected)) throw error
  }
}

chai.use(({ Assertion }, utils) => {
  for (const name of COMPARISONS) {
    Assertion.overwriteMethod(
      name,
      (inherited) =>
        function (...values) {
          compare({ self: this, utils }, () => inherited.apply(this, values), values[0])
        },
    )
  }
  for (const name of CONTAINS) {
    Assertion.overwriteChainableMethod(
      name,
      (inherited) =>
        function (...values) {
          compare({ self: this, utils }, () => inherited.apply(this, values), values[0])
        },
      (inherited) =>
        function () {
          inherited.call(this)
        },
    )
  }
  Assertion.overwriteMethod(
    'property',
    (inherited) =>
      function (...values) {
        const object = utils.flag(this, 'object')
        try {
          inherited.apply(this, values)
        } catch (error) {
          const [name, expected] = values
          const negated = utils.flag(this, 'negate')
          if (negated || name !== 'message' || !isOfSentences(object?.message, expected, name)) {
            throw error
          }
        }
      },
  )
  for (const name of ['throw', 'throws', 'Throw']) {
    Assertion.overwriteMethod(
      name,
      (inherited) =>
        function (...values) {
          const at = values.findIndex((value) => isText(value) || value instanceof RegExp)
          const call = utils.flag(this, 'object')
          if (at < 0 || at > 1 || utils.flag(this, 'negate') || typeof call !== 'function') {
            return inherited.apply(this, values)
          }
          let thrown
          const again = () => {
            if (thrown !== undefined) throw thrown.error
          }
          try {
            call()
          } catch (error) {
            thrown = { error }
          }
          utils.flag(this, 'object', again)
          try {
            return inherited.apply(this, values)
          } catch (error) {
            if (!isOfSentences(thrown?.error?.message, values[at], 'message')) throw error
            return inherited.apply(this, values.slice(0, at))
          }
        },
    )
  }
})
