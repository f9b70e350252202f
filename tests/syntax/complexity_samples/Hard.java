class A<T extends Comparable<T>> {
  static { if (x) { } }
  private final Runnable field = () -> { if (a) { } };
  public A(int a) { this(a, 1); }
  @Override @Deprecated public <U> Map<String, List<U>> generic(final int a, String... rest) throws E { for (String s : rest) { if (a > 1 && b) continue; } return null; }
  abstract int none();
  int over(int a) { return over(a, 1); }
  int over(int a, int b) { return a > b ? a : b; }
  int rec(int n) { return n <= 1 ? 1 : n * this.rec(n - 1); }
  class Inner { void m() { while (a) { } } static class Deep { int k() { do { } while (a || b); return 1; } } }
  enum E { X { int v() { if (a) return 1; return 2; } }; abstract int v(); }
  void anonymous() { new Thread(new Runnable() { public void run() { if (a) { } } }); list.forEach(x -> { if (x) { } }); }
  int sw(Object o) { return switch (o) { case Integer i when i > 1 -> 1; case String s -> { if (a) yield 1; yield 2; } default -> 0; }; }
  void labels() { L: for (;;) { for (;;) { if (a) break L; else continue L; } } }
  void tries() { try (R r = open()) { } catch (A | B e) { } catch (C e) { if (a) { } } finally { if (b) { } } }
  record P(int x, int y) { P { if (x < 0) throw new E(); } int sum() { return x + y; } }
  interface I { default void d() { if (a) { } } void n(); }
  void ops() { boolean v = a && b && (c || d) || !(e && f); synchronized (this) { if (a) { } } }
}
