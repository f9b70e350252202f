package p

func HelloIf(n int) int {
	if n == 100 {
		return 1
	} else if n == 2 {
		return 2
	} else {
		if n > 3 {
			return 4
		}
	}
	return 0
}
func FactRec(n int) int {
	if n <= 1 {
		return 1
	}
	return n * FactRec(n-1) + FactRec(n-2)
}
func Label() {
OUT:
	for i := 0; i < 3; i++ {
		for range x {
			if a {
				continue OUT
			}
			goto OUT
		}
		break
	}
}
func Lit() {
	f := func(a, b int) {
		if a && b || c && d {
		}
	}
	go func() { for { } }()
	x(func() { if a { } })
}
func Sw(x interface{}) {
	switch v := x.(type) {
	case int:
		if v > 1 { }
	default:
	}
	select {
	case <-c:
	case d <- 1:
		if a { }
	default:
	}
	switch {
	case a && b:
	}
}
func (s *Server[T]) Walk(n *Node, fn func(*Node) bool) (err error) {
	if n == nil || !(a && b) {
		return s.Walk(n.next, fn)
	}
	s.other.Walk(n, fn)
	return nil
}
func ops() bool { return a && (b && c) && (d || e) }
func gen[T any, U comparable](xs ...T) (T, error) { var f = func() { if a {} }; f(); return nil, nil }
var global = func() { if a { } }
type I interface { M(a int) }
func tests(t *testing.T) { t.Run("name", func(t *testing.T) { if a { } }) }
func init() { defer func() { if r := recover(); r != nil { } }() }
