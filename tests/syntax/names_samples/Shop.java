package com.acme.shop;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.*;
import static org.junit.Assert.assertTrue;
/** Uses {@link Map}. */
@Service("x")
public class Shop<T extends Base> extends Parent<T> implements A, B.C {
  private static final int LIMIT = compute();
  @Override public void run(@Nullable String name, int... rest) throws IOException {
    List<String> xs = new ArrayList<>();
    int dead = 1;
    outer: for (String s : xs) { break outer; }
    try (var in = open()) { foo.bar(s -> s.baz()); this.go().then(Shop::make); } catch (Error e) { throw e; }
    if (o instanceof Foo f) { f.x(); }
  }
  void pkg() { System.exit(1); dead(); }
  public static void main(String[] args) {}
  interface In extends Q {}
  enum Color { RED, GREEN }
}
