template <typename T> class Box : Base<T> { public: Box(T a) : a_(a) { if (a) { } } ~Box() { } T get() const { return a ? b : c; } bool operator==(const Box& o) const { return a && b; } static int count; virtual void pure() = 0; };
namespace n { int A::f(int x) { for (auto& y : z) { try { } catch (const E& e) { if (x) { } } } auto l = [&](int q) { if (q) { } }; std::sort(a, b, [](int x, int y) { return x < y && y; }); return this->f(x - 1); } }
int Box<int>::g() { return 1; }
