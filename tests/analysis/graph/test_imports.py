"""An import means the file that its language's own rules would load."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.imports.target import Target
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.languages import language_of
from holdfast.syntax.record import MODULE, Definition, ImportedName, Names, Record

Means = Callable[..., Target]


def record(path: str, top: str = "", package: str = "") -> Record:
    """Return the record of a file that defines some names at its top."""
    language = language_of(path)
    assert language is not None
    definitions = tuple(
        Definition(name, name, "Class", line, line, line, MODULE, True, (), ())
        for line, name in enumerate(top.split(), start=1)
    )
    names = Names(definitions, (), (), (), (), (), (), False, package)
    return Record(language.name, 1, 1, 0, (), (), names, None)


def project(files: Mapping[str, Record | None], settings: Mapping[str, str] | None = None) -> Means:
    """Return what says which target an import in a file of a project has."""
    settings = settings or {}
    records = {path: found or record(path) for path, found in sorted(files.items())}
    resolution = Resolution(Scan(records, {}, (), tuple(sorted(settings))), settings.get)

    def means(path: str, module: str, name: str = "", level: int = 0, definition: int = MODULE) -> Target:
        imported = ImportedName(module, name, name, 1, level, definition, False, False)
        return resolution.imports.target(path, imported)

    means.resolution = resolution  # type: ignore[attr-defined]
    return means


def files(*paths: str) -> dict[str, Record | None]:
    """Return files that define nothing."""
    return dict.fromkeys(paths)


def to(*paths: str, symbol: str = "", certainty: str = "exact") -> Target:
    """Return a target in the project."""
    return Target(paths, symbol, "", certainty)  # type: ignore[arg-type]


def out(package: str) -> Target:
    """Return a target outside of the project."""
    return Target((), "", package, "exact")


NOWHERE = Target()


def test_python_finds_modules_packages_and_relatives() -> None:
    means = project(
        {
            **files("pkg/__init__.py", "pkg/a.py", "pkg/sub/b.py", "main.py"),
            "pkg/sub/__init__.py": record("pkg/sub/__init__.py", "Thing"),
        }
    )
    assert means("main.py", "pkg") == to("pkg/__init__.py")
    assert means("main.py", "pkg.sub.b") == to("pkg/sub/b.py")
    assert means("main.py", "pkg.sub", "b") == to("pkg/sub/b.py"), "a submodule is imported by name"
    assert means("main.py", "pkg.sub", "Thing") == to("pkg/sub/__init__.py", symbol="Thing")
    assert means("main.py", "pkg.sub", "*") == to("pkg/sub/__init__.py", symbol="*")
    assert means("pkg/sub/b.py", "", "Thing", 1) == to("pkg/sub/__init__.py", symbol="Thing")
    assert means("pkg/sub/b.py", "a", "f", 2) == to("pkg/a.py", symbol="f")
    assert means("pkg/sub/b.py", "x", "f", 9) == NOWHERE, "more dots than folders lead nowhere"
    assert means("pkg/a.py", "missing", "f", 1) == NOWHERE
    assert means("main.py", "requests.adapters") == out("requests")
    assert means("main.py", "pkg.gone") == NOWHERE, "the package is ours, the module is not there"


def test_python_prefers_what_a_package_defines_over_a_module_of_that_name() -> None:
    means = project({**files("p/client.py", "m.py"), "p/__init__.py": record("p/__init__.py", "client")})
    assert means("m.py", "p", "client") == to("p/__init__.py", symbol="client")


def test_python_finds_namespace_packages_and_the_layout_with_src() -> None:
    means = project(
        files("src/space/plugin/__init__.py", "src/space/other.py", "tests/test_it.py"),
        {"pyproject.toml": ""},
    )
    assert means("tests/test_it.py", "space.plugin") == to("src/space/plugin/__init__.py")
    assert means("tests/test_it.py", "space", "other") == to("src/space/other.py")


def test_python_tells_equal_names_apart_by_the_root_of_the_importing_file() -> None:
    means = project(files("one/utils.py", "one/run.py", "two/utils.py", "two/run.py", "three/run.py"))
    assert means("one/run.py", "utils") == to("one/utils.py")
    assert means("two/run.py", "utils") == to("two/utils.py")
    assert means("three/run.py", "utils") == NOWHERE, "two folders have one, and none of them is this one's"


def test_python_marks_what_only_another_folder_has_as_likely() -> None:
    means = project(files("tools/lib/helper.py", "app/run.py", "app/inner/__init__.py", "app/inner/json.py"))
    assert means("app/run.py", "helper") == to("tools/lib/helper.py", certainty="likely")
    assert means("app/run.py", "json") == out("json"), (
        "the standard library is not hidden by a module elsewhere"
    )


def test_javascript_tries_extensions_index_files_and_sources_of_compiled_names() -> None:
    means = project(
        files("src/a.ts", "src/b/index.tsx", "src/c.js", "src/d.d.ts", "src/main.ts", "src/a/a.ts")
    )
    assert means("src/main.ts", "./a", "x") == to("src/a.ts", symbol="x"), "a file comes before a folder"
    assert means("src/main.ts", "./a.js", "x") == to("src/a.ts", symbol="x")
    assert means("src/main.ts", "./b", "default") == to("src/b/index.tsx", symbol="default")
    assert means("src/b/index.tsx", "../c") == to("src/c.js")
    assert means("src/main.ts", "./d") == to("src/d.d.ts")
    assert means("src/main.ts", "./gone") == NOWHERE
    assert means("src/main.ts", "../../outside") == NOWHERE
    assert means("src/main.ts", "react") == out("react")
    assert means("src/main.ts", "@scope/kit/button") == out("@scope/kit")


def test_typescript_follows_paths_with_comments_and_extended_settings() -> None:
    settings = {
        "tsconfig.json": '{ // the base\n "compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["./src/*"],'
        ' "url": ["./src/http://x", "./src/url.ts"],}}, /* end */ }',
        "web/tsconfig.json": '{"extends": "../tsconfig.json"}',
    }
    means = project(files("src/a.ts", "src/url.ts", "web/page.ts", "lib/z.ts"), settings)
    assert means("src/a.ts", "@/url") == to("src/url.ts")
    assert means("web/page.ts", "@/a") == to("src/a.ts"), "settings extend others"
    assert means("web/page.ts", "url") == to("src/url.ts"), "slashes in a string begin no comment"
    assert means("web/page.ts", "lib/z") == to("lib/z.ts"), "names count from baseUrl"


def test_javascript_finds_packages_of_the_workspace_by_their_exports() -> None:
    settings = {
        "kit/package.json": '{"name": "@x/kit", "exports": {".": {"types": "./dist/index.d.ts"},'
        ' "./parts/*": {"import": "./src/parts/*.ts"}}, "imports": {"#own": "./src/own.ts"}}',
        "plain/package.json": '{"name": "plain", "main": "entry.js"}',
        "bad/package.json": "{",
    }
    known = files("kit/src/index.ts", "kit/src/parts/a.ts", "kit/src/own.ts", "plain/entry.js", "app/m.ts")
    means = project(known, settings)
    assert means("app/m.ts", "@x/kit") == to("kit/src/index.ts", certainty="likely"), "built from it"
    assert means("app/m.ts", "@x/kit/parts/a") == to("kit/src/parts/a.ts")
    assert means("app/m.ts", "plain") == to("plain/entry.js")
    assert means("kit/src/index.ts", "#own") == to("kit/src/own.ts")
    assert list(means.resolution.damaged_settings) == ["bad/package.json"]  # type: ignore[attr-defined]


def test_go_takes_all_files_of_a_package_of_the_module() -> None:
    means = project(
        files("go/main.go", "go/store/a.go", "go/store/b.go", "go/store/a_test.go", "sub/x/y.go"),
        {
            "go/go.mod": "module example.com/app\n\ngo 1.22\n",
            "sub/go.mod": "module example.com/app/sub // nested\n",
        },
    )
    assert means("go/main.go", "example.com/app/store") == to("go/store/a.go", "go/store/b.go")
    assert means("go/main.go", "example.com/app/sub/x") == to("sub/x/y.go"), "the longest module wins"
    assert means("go/main.go", "fmt") == out("fmt")
    assert means("go/main.go", "example.com/application") == out("example.com/application")
    assert means("go/main.go", "example.com/app/gone") == NOWHERE


def test_rust_finds_modules_and_crates_of_the_workspace() -> None:
    settings = {
        "Cargo.toml": '[workspace]\nmembers = ["core", "app"]\n',
        "core/Cargo.toml": '[package]\nname = "my-core"\n',
        "app/Cargo.toml": '[package]\nname = "app"\n',
    }
    known = files(
        "core/src/lib.rs", "core/src/a.rs", "core/src/a/b.rs", "core/src/c/mod.rs", "app/src/main.rs"
    )
    means = project(known, settings)
    assert means("core/src/lib.rs", "self::a") == to("core/src/a.rs")
    assert means("core/src/a.rs", "self::b") == to("core/src/a/b.rs")
    assert means("core/src/a/b.rs", "crate::c", "Thing") == to("core/src/c/mod.rs", symbol="Thing")
    assert means("core/src/a/b.rs", "super", "f") == to("core/src/a.rs", symbol="f")
    assert means("core/src/a/b.rs", "super::super::c") == to("core/src/c/mod.rs")
    assert means("app/src/main.rs", "my_core::a::b", "X") == to("core/src/a/b.rs", symbol="X")
    assert means("app/src/main.rs", "my_core::a", "*") == to("core/src/a.rs", symbol="*")
    assert means("app/src/main.rs", "serde::de", "Visitor") == out("serde")


def test_java_and_kotlin_find_classes_by_package_and_not_by_file_name_alone() -> None:
    means = project(
        {
            "m/src/main/java/a/b/Util.java": record("x.java", "Util", "a.b"),
            "n/src/main/java/c/Util.java": record("x.java", "Util", "c"),
            "n/src/main/kotlin/c/Helpers.kt": record("x.kt", "helper Extra", "c"),
            "n/src/main/java/c/Main.java": record("x.java", "Main", "c"),
        }
    )
    main = "n/src/main/java/c/Main.java"
    assert means(main, "a.b", "Util") == to("m/src/main/java/a/b/Util.java", symbol="Util")
    assert means(main, "a.b.Util", "parse") == to("m/src/main/java/a/b/Util.java", symbol="Util.parse")
    assert means(main, "c", "helper") == to("n/src/main/kotlin/c/Helpers.kt", symbol="helper")
    assert set(means(main, "c", "*").files) == {
        main,
        "n/src/main/java/c/Util.java",
        "n/src/main/kotlin/c/Helpers.kt",
    }
    assert means(main, "java.util", "List") == out("java.util")


def test_php_follows_the_rule_of_composer_and_the_namespaces_of_files() -> None:
    means = project(
        {
            **files("src/Http/Kernel.php", "public/index.php"),
            "old/x.php": record("x.php", "Legacy", "Old\\Stuff"),
        },
        {"composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}'},
    )
    assert means("public/index.php", "App\\Http", "Kernel") == to("src/Http/Kernel.php", symbol="Kernel")
    assert means("public/index.php", "Old\\Stuff", "Legacy") == to("old/x.php", symbol="Legacy")
    assert means("public/index.php", "Symfony\\Kernel", "Kernel") == out("Symfony.Kernel")


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ('"near.h"', to("src/near.h", symbol="*")),
        ('"kit/far.h"', to("include/kit/far.h", symbol="*", certainty="likely")),
        ("<kit/far.h>", to("include/kit/far.h", symbol="*", certainty="likely")),
        ('"twice.h"', NOWHERE),
        ("<stdio.h>", out("stdio.h")),
        ('"gone.h"', NOWHERE),
    ],
)
def test_c_includes_beside_the_file_or_by_the_only_path_that_ends_so(module: str, expected: Target) -> None:
    known = files("src/main.c", "src/near.h", "other/near.h", "include/kit/far.h", "x/twice.h", "y/twice.h")
    assert project(known)("src/main.c", module, "*") == expected


def test_ruby_and_bash_load_files_by_their_place() -> None:
    means = project(files("lib/kit/a.rb", "lib/kit.rb", "bin/run.rb", "ops/run.sh", "ops/lib/log.sh"))
    assert means("lib/kit.rb", "kit/a", "*", 1) == to("lib/kit/a.rb", symbol="*")
    assert means("bin/run.rb", "kit/a", "*") == to("lib/kit/a.rb", symbol="*", certainty="likely")
    assert means("bin/run.rb", "json", "*") == out("json")
    assert means("ops/run.sh", "./lib/log.sh", "*") == to("ops/lib/log.sh", symbol="*")
    assert means("ops/run.sh", '$(dirname "$0")/lib/log.sh', "*").files == ("ops/lib/log.sh",)
