<?php
namespace App\Shop;
use A\B as C;
use D\{E, F as G};
use function H\i;
require_once __DIR__ . '/x.php';
include "y.php";
#[Attr(1)]
final class Cart extends Base implements I, J {
  use SomeTrait;
  private ?int $limit = 3;
  const MAX = 1;
  public function run(string $name, ...$rest): ?Foo {
    $dead = 1; $x = $this->go($name)->then(); self::make(); new Bar($x); strlen("hi $x {$y->z}");
    foreach ($items as $k => $v) { echo $v; }
    $f = function ($a) use ($x) { return $a; }; $g = fn($q) => $q;
    static::$inst = Foo::class; compact('x');
    try {} catch (E $e) {}
    return 1;
    after();
  }
}
function top(int $a = 1) { exit(1); dead(); }
