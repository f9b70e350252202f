export default async (req: Request) => { if (req) { return 1 } }
function overload(a: string): void;
function overload(a: number): void;
function overload(a: any): void { if (a) { } else if (b) { } else { } }
abstract class Shape<T extends object = {}> {
  abstract area(): number;
  private handler = async <U,>(x: U): Promise<void> => { for (const y of x) { if (y) continue } };
  static #count = 0;
  @decorate({ when: a && b }) method(this: Shape<T>, a: number, { b, c }: P, ...rest: any[]) { return a ? (b ? 1 : 2) : 3 }
  get size(): number { return this.x ?? 0 }
  set size(v: number) { if (v && v > 1) { } }
  constructor(private readonly a: number) { super(); try { } catch { if (a) { } } finally { } }
  static { if (a) { } }
  *gen() { while (true) { yield 1 } }
  ["computed" + 1]() { switch (a) { case 1: case 2: if (b) {} break; default: } }
}
const obj = { plain() { if (a) {} }, arrow: (x) => x && y, fn: function () { return a || b }, async *ag() {} , get g() { return a ? 1 : 2 } };
const f = function named(n) { return n <= 1 ? 1 : n * named(n - 1) };
const rec = (n: number): number => n ? rec(n - 1) : 0;
items.map(x => x.id).filter((x) => { if (x) { return x } });
(function () { if (a) { (() => { if (b) {} })() } })();
outer: function labels() { outer: for (;;) { for (;;) { if (a) continue outer; break outer } } }
function ops() { return a && b && c || d && (e && f) && !(g && h) }
function Comp() { return <div>{a && <B/>}{a && b ? <C/> : null}{a || b}</div> }
function outerDeclarative() { const x = 1; function inner() { if (a) { if (b) {} } } return inner }
function outerNot() { if (z) {} function inner() { if (a) { } } }
namespace NS { export function inside<T>(x: T) { do { } while (x) } }
function dflt(a = b ? 1 : 2) { }
class Nested { outer() { class Inner { m() { if (a) {} } } return new Inner() } }
describe("thing", () => { it("works", () => { if (a) {} }) })
const curried = (a) => (b) => { if (a) {} };
function elseNest() { if (a) { } else { if (b) { } } }
function elseOneLine() { if (a) x(); else for (;;) { } }
x ||= 1;
function assign() { x ??= y && z; return a?.b ?? c }
function tern() { if (a ? b : c) { } }
function chain({ a = 1, b: [c = 2] }: P = {}, d?: number) { return d?.[0]?.e ?? a?.() }
function handed(s) { s?.on("x", (self, e = 1) => { if (e) {} }, { once: s ? 1 : 2 },
  more) }
test.each([() => a && b])("title", (x) => { if (x) {} })
