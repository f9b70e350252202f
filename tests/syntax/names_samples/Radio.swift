import Foundation
@testable import Mod
import struct A.B
@MainActor
public final class Player: Base<Int>, Playable, A.P {
  @Published private(set) var name: String = "x"
  static let shared = Player()
  init(name: String, _ size: Int = 1) { self.name = name }
  fileprivate func run(with p: Int, rest: String...) throws -> Foo? {
    let dead = 1
    var (a, b) = pair()
    for item in items { continue }
    let s = "text \(a) end"
    guard let q = opt else { return nil }
    repo.save(named: 2)?.then { i in i.y }
    if case .foo(let z) = x { z() }
    do { try go() } catch let e { throw e }
    return nil
    after()
  }
}
protocol P: Q { func m(x: Int) }
extension Player: R { }
enum E { case a, b(Int) }
func top() { fatalError("x"); dead() }
@main struct App { }
