package main
import "fmt"
import (
  f "a/b"
  . "c/d"
  _ "side/effect"
  "github.com/x/yaml/v3"
)
const X, y = 1, 2
var Z int = compute()
type S struct { Base; *ptr.Base2; Name string `json:"name"` }
type I interface { io.Reader; Do(x int) error }
func (s *S) Run(ctx Context, a, b int, rest ...string) (n int, err error) {
  x, ok := m[1]
  for i, v := range xs { go f.Do(v) }
  switch t := q.(type) { case int: return; default: panic("x") }
  s.Name = "a"
  v := S{Name: "q", Other: z}
L:
  for { break L }
  client.
    Get()
  os.Exit(1)
  var loc int
  return
}
func main() { return
  // c
  dead() }
