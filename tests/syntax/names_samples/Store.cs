using System;
using static System.Math;
using Al = A.B.C;
global using X.Y;
namespace Acme.Shop;
[Serializable, Obsolete("x")]
public class Cart<T> : Base<T>, IFoo {
  private readonly int limit = 3;
  public string Name { get; set; }
  public Cart(int a, string b = "x") : base(a) { }
  internal async Task Run([From] int p, params int[] rest) {
    var dead = 1; int x = Foo.Bar<int>(p, named: 2);
    foreach (var item in items) { goto end; }
    using var s = Open();
    try { } catch (Exception e) { throw; }
    if (o is Dog d) { d.Bark(); }
    var q = $"text {x} {Name:F2}"; new Baz(x) { Prop = 1 }; items.Select(i => i.Y)?.First();
    return; After();
    end: Done();
  }
  enum E { A, B }
}
