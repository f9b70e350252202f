<?php
namespace App\Http;

abstract class Router extends Base implements Routes
{
    const LIMIT = 10;
    public $routes = [];

    public function __construct(private int $size) {}

    abstract protected function prefix();

    public static function match(string $path): int
    {
        if ($path && strlen($path) || self::LIMIT) { // if, &&, ||
            return 1;
        } elseif ($path === '/') { // elseif
            return 2;
        }
        foreach ($routes as $name => $route) { // foreach
            while ($route) { $route = $route->next ?? null; } // while, ??
        }
        switch ($path) {
            case 'a': // case
                break;
            default:
        }
        $kind = match ($path) {
            'x', 'y' => 1, // arm
            default => 2,
        };
        try { } catch (\Exception $e) { } // catch
        $short = fn($x) => $x ? 1 : 2; // conditional, of the inner function
        return $kind;
    }
}

interface Routes { public function all(); }

trait Cached { function forget() {} }

enum Verb: string { case Get = 'get'; public function safe() { return true; } }

function helper($value) { return $value; }

$handler = function ($request) { return $request; };
