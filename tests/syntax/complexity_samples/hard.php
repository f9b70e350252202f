<?php
class A { abstract function none(); public function m(int $a, ?string $b = null, ...$c) { if ($a) { } elseif ($b) { } else { if ($c) { } } foreach ($a as $b) { while (1) { break 2; } } return $this->m($a) ?? $b; }
 static function s() { $f = function ($x) use ($y) { if ($x) { } }; return array_map(fn($x) => $x ? 1 : 2, $a); } }
function f($x) { switch ($x) { case 1: if ($a && $b || $c) { } break; default: } return match(true) { $a => 1, default => 2 }; try { } catch (E $e) { } }
