#!/usr/bin/env node
const fs = require("fs");
const { join, resolve: res } = require("path");
require("./side");
class App extends Base {
  #count = 0;
  start(port) { this.#count += 1; return this.listen(port, () => fs.stat(join(port))); }
}
function helper(a, { b }, [c], ...d) {
  var lost;
  if (a) { throw new Error(`no ${b}`); lost = 2; }
  return later();
  function later() { return c + d; }
}
const make = (x) => ({ key: x, helper });
module.exports = { App, alias: make };
exports.extra = helper;
if (require.main === module) new App().start("app.port");
