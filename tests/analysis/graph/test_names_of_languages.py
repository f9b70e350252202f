"""Calls and base types are found by the rules of each language, also where files have equal names."""

from __future__ import annotations

from tests.analysis.graph.trees import edges_of


def test_typescript_follows_aliases_defaults_reexports_and_the_types_of_fields() -> None:
    texts = {
        "src/index.ts": 'export { Store as Shop } from "./store"; export * from "./util";\n',
        "src/store.ts": """
            import { helper as assist } from "./util";
            export class Base { shared() {} }
            export class Store extends Base {
              constructor() { super(); this.open(); }
              open() { assist(); this.shared(); }
            }
        """,
        "src/util.ts": "export function helper() {}\nexport default function main() { helper(); }\n",
        "src/other/util.ts": "export function helper() {}\n",
        "app.ts": """
            import { Shop, helper } from "./src";
            import start from "./src/util";
            import * as other from "./src/other/util";
            class Page {
              private shop: Shop;
              show() { this.shop.open(); }
            }
            export const run = (helper2: string) => { new Shop(); start(); other.helper(); helper(); };
        """,
        "old.js": (
            'const util = require("./src/util"); function go() { util.helper(); }\nmodule.exports = { go };\n'
        ),
    }
    assert edges_of(texts, "call-graph") == {
        "src/store.ts::Store.constructor -> src/store.ts::Base",
        "src/store.ts::Store.constructor -> src/store.ts::Store.open",
        "src/store.ts::Store.open -> src/util.ts::helper",
        "src/store.ts::Store.open -> src/store.ts::Base.shared",
        "src/util.ts::main -> src/util.ts::helper",
        "app.ts::Page.show -> src/store.ts::Store.open (likely)",
        "app.ts::run -> src/store.ts::Store.constructor",
        "app.ts::run -> src/util.ts::main",
        "app.ts::run -> src/other/util.ts::helper",
        "app.ts::run -> src/util.ts::helper",
        "old.js::go -> src/util.ts::helper",
    }
    assert edges_of(texts, "inheritance") == {"src/store.ts::Store -> src/store.ts::Base"}
    assert edges_of(texts, "import-graph") == {
        "src/index.ts -> src/store.ts",
        "src/index.ts -> src/util.ts",
        "src/store.ts -> src/util.ts",
        "app.ts -> src/index.ts",
        "app.ts -> src/util.ts",
        "app.ts -> src/other/util.ts",
        "old.js -> src/util.ts",
    }


def test_go_sees_its_package_without_imports_and_others_by_their_module() -> None:
    texts = {
        "go.mod": "module example.com/app\n",
        "main.go": 'package main\n\nimport st "example.com/app/store"\n\nfunc main() { st.Open(); run() }\n',
        "run.go": "package main\n\nfunc run() {}\n",
        "store/open.go": "package store\n\nfunc Open() *Store { return load() }\n",
        "store/store.go": """
            package store

            type Reader interface { Read() }
            type Store struct { Cache }
            type Cache struct {}

            func load() *Store { return nil }
            func (s *Store) Save() { s.flush() }
            func (s *Store) flush() {}
        """,
        "other/open.go": "package other\n\nfunc Open() {}\nfunc load() {}\n",
    }
    assert edges_of(texts, "call-graph") == {
        "main.go::main -> store/open.go::Open",
        "main.go::main -> run.go::run",
        "store/open.go::Open -> store/store.go::load",
        "store/store.go::Store.Save -> store/store.go::Store.flush (likely)",
    }
    assert edges_of(texts, "import-graph") == {"main.go -> store/open.go"}, "the file that has what is used"
    assert edges_of(texts, "inheritance") == {"store/store.go::Store -> store/store.go::Cache"}


def test_rust_follows_modules_uses_and_what_is_implemented_for_a_type() -> None:
    texts = {
        "Cargo.toml": '[package]\nname = "kit"\n',
        "src/lib.rs": "pub mod shape;\nmod util;\npub use shape::Square as Sq;\n",
        "src/util.rs": "pub fn area(n: u32) -> u32 { n }\n",
        "src/shape.rs": """
            use crate::util::area as size;
            pub trait Draw { fn draw(&self); fn twice(&self) { self.draw() } }
            pub struct Square { n: u32 }
            impl Square { pub fn new() -> Self { crate::util::area(1); Square { n: 1 } } }
            impl Draw for Square { fn draw(&self) { size(self.n); Self::new(); self.twice(); } }
            mod tests { use super::*; fn check() { Square::new(); super::super::util::area(2); } }
        """,
        "src/main.rs": "use kit::Sq;\nfn main() { let s = Sq::new(); s.twice(); std::mem::drop(s); }\n",
    }
    assert edges_of(texts, "call-graph") == {
        "src/shape.rs::Draw.twice -> src/shape.rs::Draw.draw",
        "src/shape.rs::Square.new -> src/util.rs::area",
        "src/shape.rs::Square.draw -> src/util.rs::area",
        "src/shape.rs::Square.draw -> src/shape.rs::Square.new",
        "src/shape.rs::Square.draw -> src/shape.rs::Draw.twice",
        "src/shape.rs::tests.check -> src/shape.rs::Square.new",
        "src/shape.rs::tests.check -> src/util.rs::area",
        "src/main.rs::main -> src/shape.rs::Square.new",
        "src/main.rs::main -> src/shape.rs::Draw.twice (guess)",
    }
    assert edges_of(texts, "inheritance") == {"src/shape.rs::Square -> src/shape.rs::Draw"}
    assert edges_of(texts, "import-graph") == {
        "src/lib.rs -> src/shape.rs",
        "src/lib.rs -> src/util.rs",
        "src/shape.rs -> src/util.rs",
        "src/main.rs -> src/lib.rs",
    }


def test_java_finds_classes_of_its_package_of_imports_and_the_types_of_fields() -> None:
    texts = {
        "src/a/Base.java": "package a;\npublic class Base { protected void log() {} }\n",
        "src/a/Service.java": """
            package a;
            import b.Util;
            import static b.Util.clean;
            public class Service extends Base implements Runnable {
              private final Util util;
              Service(Util util) { this.util = util; }
              public void run() { log(); helper(); util.go(); clean(); new Service(null); Util.clean(); }
              private void helper() { super.log(); }
            }
        """,
        "src/b/Util.java": "package b;\npublic class Util { void go() {} static void clean() {} }\n",
        "src/c/Util.java": "package c;\npublic class Util { void go() {} static void clean() {} }\n",
        "src/c/Main.java": (
            "package c;\nimport a.*;\nclass Main { void main() { new Service(null).run(); } }\n"
        ),
    }
    assert edges_of(texts, "call-graph") == {
        "src/a/Service.java::Service.run -> src/a/Base.java::Base.log",
        "src/a/Service.java::Service.run -> src/a/Service.java::Service.helper",
        "src/a/Service.java::Service.run -> src/a/Service.java::Service.Service",
        "src/a/Service.java::Service.run -> src/b/Util.java::Util.go (likely)",
        "src/a/Service.java::Service.run -> src/b/Util.java::Util.clean",
        "src/a/Service.java::Service.helper -> src/a/Base.java::Base.log",
        "src/c/Main.java::Main.main -> src/a/Service.java::Service.Service",
        "src/c/Main.java::Main.main -> src/a/Service.java::Service.run (likely)",
    }
    assert edges_of(texts, "inheritance") == {"src/a/Service.java::Service -> src/a/Base.java::Base"}
    assert edges_of(texts, "import-graph") == {
        "src/a/Service.java -> src/b/Util.java",
        "src/c/Main.java -> src/a/Service.java",
    }


def test_kotlin_and_csharp_find_names_of_their_packages() -> None:
    texts = {
        "k/a/Tools.kt": "package a\n\nfun mend() {}\n\nclass Hammer {\n    fun hit() {}\n}\n",
        "k/b/Main.kt": (
            "package b\n"
            "\n"
            "import a.mend as fix\n"
            "import a.Hammer\n"
            "\n"
            "fun main() {\n"
            "    fix()\n"
            "    Hammer().hit()\n"
            "}\n"
        ),
        "c/Base.cs": "namespace N.Core { public class Base { public void Log() {} } }\n",
        "c/Child.cs": """
            using N.Core;
            namespace N.App;
            public class Child : Base { void Run() { Log(); Help(); base.Log(); } void Help() {} }
        """,
        "c/Peer.cs": "namespace N.App { class Peer { void Go() { new Child(); } } }\n",
    }
    assert edges_of(texts, "call-graph") == {
        "k/b/Main.kt::main -> k/a/Tools.kt::mend",
        "k/b/Main.kt::main -> k/a/Tools.kt::Hammer",
        "k/b/Main.kt::main -> k/a/Tools.kt::Hammer.hit (likely)",
        "c/Child.cs::Child.Run -> c/Base.cs::N.Core.Base.Log",
        "c/Child.cs::Child.Run -> c/Child.cs::Child.Help",
        "c/Peer.cs::N.App.Peer.Go -> c/Child.cs::Child",
    }
    assert edges_of(texts, "inheritance") == {"c/Child.cs::Child -> c/Base.cs::N.Core.Base"}
    assert edges_of(texts, "import-graph") == {"k/b/Main.kt -> k/a/Tools.kt", "c/Child.cs -> c/Base.cs"}


def test_c_and_cpp_find_where_what_a_header_declares_is_written() -> None:
    texts = {
        "inc/kit.h": "int start(int);\nint unwritten(void);\n",
        "src/kit.c": (
            '#include "../inc/kit.h"\n'
            "static int help(int n) { return n; }\n"
            "int start(int n) { return help(n); }\n"
        ),
        "src/main.c": '#include "kit.h"\nint main(void) { start(1); unwritten(); printf("x"); return 0; }\n',
        "src/other.c": "static int help(int n) { return n; }\nint other(void) { return help(2); }\n",
        "x/shape.hpp": "namespace g { class Shape { public: void draw(); void paint(); }; }\n",
        "x/shape.cpp": (
            '#include "shape.hpp"\n'
            "namespace g { class Dot : public Shape { void go() { draw(); } }; void "
            "Shape::draw() { paint(); } }\n"
        ),
    }
    assert edges_of(texts, "call-graph") == {
        "src/kit.c::start -> src/kit.c::help",
        "src/main.c::main -> src/kit.c::start (likely)",
        "src/main.c::main -> inc/kit.h::unwritten (likely)",
        "src/other.c::other -> src/other.c::help",
        "x/shape.cpp::g.Dot.go -> x/shape.cpp::g.Shape.draw (likely)",
        "x/shape.cpp::g.Shape.draw -> x/shape.hpp::g.Shape.paint (likely)",
    }
    assert edges_of(texts, "import-graph") == {
        "src/kit.c -> inc/kit.h",
        "src/main.c -> inc/kit.h (likely)",
        "x/shape.cpp -> x/shape.hpp",
    }


def test_php_ruby_swift_and_bash_find_theirs() -> None:
    texts = {
        "composer.json": '{"autoload": {"psr-4": {"App\\\\\\\\": "php/"}}}',
        "php/Models/User.php": (
            "<?php\n"
            "namespace App\\Models;\n"
            "class User { static function find() {} function save() { $this->check(); } "
            "function check() {} }\n"
        ),
        "php/run.php": (
            "<?php\n"
            "namespace App;\n"
            "use App\\Models\\User as Person;\n"
            "function run() { Person::find(); (new Person())->save(); }\n"
        ),
        "lib/kit.rb": (
            'require_relative "kit/tool"\n'
            "module Kit\n"
            "  class App < Tool\n"
            "    def run\n"
            "      self.help()\n"
            "      Tool.make\n"
            "      App.new.work\n"
            "    end\n"
            "    def help; end\n"
            "  end\n"
            "end\n"
        ),
        "lib/kit/tool.rb": "class Tool\n  def self.make; end\n  def work; end\nend\n",
        "s/A.swift": "class A: B {\n  func run() { help(); self.go() }\n}\nfunc help() {}\n",
        "s/B.swift": "class B {\n  func go() {}\n}\n",
        "sh/run.sh": '#!/bin/bash\n. "$(dirname "$0")/lib.sh"\nmain() { log hi; }\nmain\n',
        "sh/lib.sh": "log() { echo hi; }\n",
    }
    assert edges_of(texts, "call-graph") == {
        "php/Models/User.php::User.save -> php/Models/User.php::User.check",
        "php/run.php::run -> php/Models/User.php::User.find",
        "php/run.php::run -> php/Models/User.php::User",
        "php/run.php::run -> php/Models/User.php::User.save (likely)",
        "lib/kit.rb::Kit.App.run -> lib/kit.rb::Kit.App.help",
        "lib/kit.rb::Kit.App.run -> lib/kit/tool.rb::Tool.self.make",
        "lib/kit.rb::Kit.App.run -> lib/kit.rb::Kit.App",
        "lib/kit.rb::Kit.App.run -> lib/kit/tool.rb::Tool.work",
        "s/A.swift::A.run -> s/A.swift::help",
        "s/A.swift::A.run -> s/B.swift::B.go (likely)",
        "sh/run.sh::main -> sh/lib.sh::log",
        "sh/run.sh -> sh/run.sh::main",
    }
    assert edges_of(texts, "inheritance") == {
        "lib/kit.rb::Kit.App -> lib/kit/tool.rb::Tool",
        "s/A.swift::A -> s/B.swift::B (likely)",
    }
