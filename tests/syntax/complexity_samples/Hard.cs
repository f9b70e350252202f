class A { int P { get { if (a) return 1; return 2; } set { } } int Q => a ? 1 : 2; public A() : base() { if (x) { } }
 async Task<int> M<T>(this string s, int b = 1) where T : class { foreach (var x in y) { if (x is int i && i > 1) continue; } int Local(int z) { return z > 0 ? Local(z - 1) : 0; } return await N(x => x == null ? 1 : 2); }
 int S(object o) => o switch { int n when n > 1 => 1, string => 2, _ => 0 };
 abstract void None(); event E Ev; static A operator +(A a, A b) { return a ?? b; } ~A() { } int this[int i] { get { return i; } } }
