import d, {x, y as z} from "./m";
import * as n from 'n';
import type { T } from "t";
import { type U, V } from "u";
import "side";
import fs = require("fs");
export { a as b, c };
export { q } from "./q";
export * from "./all";
export * as ns from "./all";
export default foo;
export const p = 1, r = 2;
const { k, l: m } = require("./r");
const w = await import("./lazy");
const five = require("five").five
module.exports = { a, b: c };
exports.x = 1;
@Component({a: 1})
export class A<T> extends B<T> implements C, D.E {
  @Input() private name: string;
  #secret = 1;
  constructor(private readonly svc: Svc, opt?: number) { super(); }
  public run<K>(x: K = d, ...rest: K[]): void { this.name?.foo(); new Foo<T>(x); this.#secret(); }
}
interface I extends J<K> { a: string; m(x: number): void }
function f({a, b: c = 1}, [e], x?) { label: for (const i of xs) { break label; } return `t ${x.y} u`; function hoisted() {} t(); }
function sw() { const un = 1; switch (x) { case 1: return 2; break; default: throw e; } }
try {} catch (err) {}
const obj = { key: v, short, method() {}, [comp]: 1 };
export type Al = { k: string };
enum En { A = 1, B }
