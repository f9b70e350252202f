package pool

import "testing"

const Limit = 10

var (
	ready   = true
	handler = func(n int) bool { return n > 0 && ready } // &&
)

type Pool struct {
	size int
}

type Taker interface {
	Take(n int) error
}

type Names []string

func (p *Pool) Take(n int) error {
	if n > p.size || n < 0 { // if, ||
		return nil
	} else if n == 0 { // if
		return nil
	}
	for i := range n { // for
		switch i {
		case 1, 2: // case
		default:
		}
	}
	select {
	case <-done: // case
	default:
	}
	run := func() {
		if ready { // if, of the inner function
		}
	}
	go func() {
		for { // for, in a function without a name
		}
	}()
	run()
	return nil
}

func (s Set[T]) Len() int { return 0 }

func New[T any](size int) *Pool { return nil }

func TestTake(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		switch x := y.(type) {
		case int: // case
		}
	})
}
