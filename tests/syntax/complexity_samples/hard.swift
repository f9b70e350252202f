class K {
  init(a: Int) { if a { } }
  deinit { }
  var p: Int { get { if a { return 1 }; return 2 } set { } }
  func m(_ a: Int, b: String = "x") -> Int {
    if a > 1 && b {
      return 1
    } else if c {
      return 2
    } else {
      for x in y {
        if z { break }
      }
    }
    guard let q = w else { return 3 }
    switch a {
    case 1: return 2
    case 2, 3:
      if q { }
    default: return 5
    }
    do {
      try f()
    } catch {
      if a { }
    }
    return a ? b : c
  }
  func lam() {
    xs.forEach { x in
      if x { }
    }
    repeat { } while a
  }
}
