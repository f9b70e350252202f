class K(val x: Int) {
  init { if (a) { } }
  constructor() : this(1) { if (b) { } }
  val p: Int get() { return if (a) 1 else 2 }
  fun <T> m(a: Int, b: String = "x", vararg c: T): Int { if (a > 1 && b) { return 1 } else if (c) { return 2 } else { for (x in y) { if (z) break } } ; return when (a) { 1 -> 2; in 3..4 -> { if (q) 1 else 2 }; else -> 5 } }
  fun String.ext() = try { a } catch (e: E) { if (b) 1 else 2 }
  fun rec(n: Int): Int = if (n <= 1) 1 else n * rec(n - 1)
  fun lam() { xs.forEach { x -> if (x) { } }; val f = { y: Int -> if (y > 1) 1 else 2 }; do { } while (a ?: b) }
  abstract fun none(): Int
}
