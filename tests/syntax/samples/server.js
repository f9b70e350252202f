#!/usr/bin/env node
'use strict'

const LIMIT = 10

export function listen(port, host = 'local') {
  if (port && host || !port) { // if, &&, ||
    return port ?? LIMIT // ??
  } else if (host) { // if
    return 0
  }
  for (const one of host) { /* for */ }
  do { port-- } while (port) // do
  switch (port) {
    case 1: // case
    case 2: // case
      return 1
    default:
      return 2
  }
}

class Server extends Base {
  limit = 3
  handler = (request) => request ? 1 : 2 // conditional
  #secret() { try { return 1 } catch (error) { return 2 } } // catch
  constructor(options) {
    super(options)
    this.items = options.items.map(item => item && item.id) // &&, of the inner function
  }
  static async *start() {}
}

const api = {
  get(path) { return path },
  'post': function (path) { while (path) path = path.next }, // while
  limit: 5,
}

const later = async () => { const local = 1; return local }

app.prototype.use = function use(fn) { fn ||= later } // ||=

exports.createServer = () => new Server()

describe('server', () => {
  it('listens', function () {
    for (let i = 0; i < 3; i++) listen(i) // for
  })
})
