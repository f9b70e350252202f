int plain(int a, char *b[]) { if (a) return 1; else if (b) { } else { while (a) { if (c) break; } } return a && b || c; }
static void none(void) { }
#define MACRO(x) if (x) { }
int pre(void) {
#ifdef A
  if (a) { }
#elif B
#else
  b();
#endif
  goto out;
out:
  return x ? y : z;
}
int *ptr(struct s *p, int (*cb)(int, int)) { switch (p->x) { case 1: case 2: if (a) { } break; default: ; } do { } while (a); return ptr(p, cb); }
int proto(int);
int (*table[])(void) = { 0 };
