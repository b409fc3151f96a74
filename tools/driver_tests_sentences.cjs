// Loaded by driver_tests_node.cjs for `--sentences ignore`: assertions do not compare the sentences
// that the drop-in wrote itself. All other texts are compared: those of the server, of the tests,
// statements and values.

'use strict'

const path = require('node:path')

/** Messages of errors that code of the drop-in created, and what it logged. */
const sentences = new Set()

/** Frames of a stack that are constructors of errors: what called them is the creator. */
const CONSTRUCTORS = /driver_tests_sentences\.cjs|\/errors\.js|Reflect\.|Object\.construct/

/** Whether an assertion would compare a sentence with what the driver writes. */
function isSentence(actual, expected) {
  const isText = typeof expected === 'string' || expected instanceof RegExp
  return isText && typeof actual === 'string' && sentences.has(actual)
}

/** Notes the messages of errors created in a folder from now on. */
exports.noteErrors = (folder) => {
  const own = folder + path.sep
  const server = `${own}failures.js`
  for (const name of ['Error', 'TypeError', 'RangeError']) {
    const original = globalThis[name]
    globalThis[name] = new Proxy(original, {
      construct(target, values, newTarget) {
        const error = Reflect.construct(target, values, newTarget)
        const frames = (new original().stack ?? '').split('\n').slice(1)
        const creator = frames.find((frame) => !CONSTRUCTORS.test(frame)) ?? ''
        const isServers = newTarget.name === 'ResponseError' && creator.includes(server)
        if (creator.includes(own) && !isServers) sentences.add(error.message)
        return error
      },
    })
  }
}

/** Notes what clients and mappers log, and the sentence that an error has by default. */
exports.noteLogs = (driver) => {
  sentences.add(new driver.errors.NoHostAvailableError(null).message)
  const { log } = driver.Client.prototype
  driver.Client.prototype.log = function (level, message, ...rest) {
    sentences.add(message)
    return log.call(this, level, message, ...rest)
  }
  const { mapping } = driver
  const { Mapper } = mapping
  exports.Mapper = new Proxy(Mapper, {
    construct(target, [client, ...rest], newTarget) {
      // Clients of unit tests are objects with a function `log`.
      if (client?.log && !(client instanceof driver.Client)) {
        client.log = new Proxy(client.log, {
          apply(log, self, [level, message, ...more]) {
            sentences.add(message)
            return Reflect.apply(log, self, [level, message, ...more])
          },
        })
      }
      return Reflect.construct(target, [client, ...rest], newTarget)
    },
  })
}

/** Replaces functions of an object; each gets the former one. */
function replace(object, functions) {
  for (const [name, make] of Object.entries(functions)) {
    if (typeof object[name] === 'function') object[name] = make(object[name])
  }
}

/** `f(actual, expected)` without sentences. */
const comparing = (former) =>
  Object.assign((actual, expected, ...rest) => {
    if (!isSentence(actual, expected)) former(actual, expected, ...rest)
  }, former)

/** `throws(f, [class], text)`: the text is left out if the error has a sentence. */
const throwing = (former) =>
  Object.assign((call, ...rest) => {
    let thrown
    const remembering = () => {
      try {
        return call()
      } catch (error) {
        thrown = error
        throw error
      }
    }
    if (typeof call !== 'function') return former(call, ...rest)
    try {
      return former(remembering, ...rest)
    } catch (failure) {
      const others = rest.filter((it) => !isSentence(thrown?.message, it))
      if (others.length === rest.length) throw failure
      return former(call, ...others)
    }
  }, former)

const adapted = new WeakSet()

/** Adapts what a test has loaded, if it is for assertions. */
exports.adaptAssertions = (request, loaded) => {
  if (loaded === null || typeof loaded !== 'object' || adapted.has(loaded)) {
    if (typeof loaded !== 'function' || adapted.has(loaded)) return
  }
  const functions = {
    ...{ equal: comparing, strictEqual: comparing, match: comparing, include: comparing },
    throws: throwing,
  }
  if (/^(node:)?assert$/.test(request)) replace(loaded, functions)
  else if (request === 'chai') replace(loaded.assert, functions)
  else if (/test-helper(\.js)?$/.test(request)) {
    replace(loaded, { assertContains: comparing })
  } else return
  adapted.add(loaded)
}
