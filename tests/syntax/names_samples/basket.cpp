#include "a.h"
#include <vector>
#define MAX(a, b) ((a) > (b))
using namespace std;
using std::string;
namespace acme {
static int hidden = 3;
template <class T> class Cart : public Base<T>, private Other {
  int priv;
public:
  Cart(int a, const char* b = "x") : priv(a) {}
  [[nodiscard]] virtual void run(int p, char *q[]) override;
private:
  void secret() const;
  std::vector<int> items;
};
static int helper(int x) { int dead = 1, used; auto [u, v] = pair(); for (auto& i : items) { goto end; } obj->call(x)->then(); std::move(x); Foo f(1); new Bar(x); return x; after(); end: done(); switch (x) { case 1: return 2; break; default: break; } try {} catch (Err& e) { throw; } auto l = [&](int z) { return z; }; }
void Cart::run(int p, char *q[]) { exit(1); dead(); }
struct S { int a; };
enum Color { RED, GREEN = 2 };
typedef struct { int x; } Point;
extern "C" int api(void);
}
int main(int argc, char **argv) { return 0; }
