"""Dead code in other languages: by the rules that each has for who may use what."""

from __future__ import annotations

from tests.analysis.dead_code.made import dead

PACKAGE = {"package.json": '{"name": "kelp", "main": "dist/index.js"}'}


def test_typescript_follows_imports_and_what_the_package_passes_on() -> None:
    files = PACKAGE | {
        "src/index.ts": 'export * from "./api";\nimport run, { helper as h } from "./run";\nrun(h());\n',
        "src/api.ts": "export function offered() { return 1 }\nfunction own() { return 2 }\n",
        "src/run.ts": """
            export default function run(x: number) { return x }
            export const helper = () => inner();
            const inner = () => 1;
            export function spare() { return 3 }
            class Job { private idle() { return 1 } start() { return 2 } }
            new Job().start();
        """,
    }

    assert dead(files) == {"own": "high", "spare": "medium", "Job.idle": "high"}
    assert dead(files, "low")["offered"] == "low"


def test_functions_of_objects_and_components_in_markup_are_used() -> None:
    files = PACKAGE | {
        "src/index.tsx": """
            const Button = () => <b/>;
            function Lost() { return <i/> }
            export default function App() { return <Button/> }
            register({ setup: () => prepare(), run() { return 1 } });
            function prepare() { return 1 }
        """,
        "app/page.tsx": "export default function Page() { return null }\n",
    }

    assert dead(files) == {"Lost": "high"}


def test_go_has_exported_names_packages_of_several_files_and_methods_of_interfaces() -> None:
    files = {
        "go.mod": "module kelp\n",
        "lib/a.go": "package lib\n\nfunc Offered() int { return shared() }\nfunc lost() int { return 1 }\n",
        "lib/b.go": "package lib\n\nfunc shared() int { return 1 }\n\ntype idle struct{}\n\n"
        "func (i idle) step() {}\n",
        "lib/a_test.go": "package lib\n\nfunc TestIt(t *T) { check() }\nfunc check() {}\n",
        "main.go": "package main\n\nfunc main() { work() }\nfunc init() { begin() }\nfunc work() {}\n"
        "func begin() {}\nfunc Unused() {}\n",
    }

    assert dead(files) == {"lost": "high", "idle": "high", "Unused": "high"}


def test_rust_has_public_names_traits_tests_and_foreign_functions() -> None:
    files = {
        "src/lib.rs": """
            pub fn offered() -> u8 { helper() }
            fn helper() -> u8 { LIMIT }
            const LIMIT: u8 = 1;
            fn lost() -> u8 { 2 }
            struct Job;
            impl Job { fn idle(&self) {} fn run(&self) {} }
            impl std::fmt::Display for Job { fn fmt(&self) {} }
            #[no_mangle] extern "C" fn foreign() {}
            #[test] fn works() { Job.run(); }
        """
    }

    assert dead(files) == {"lost": "high", "Job.idle": "high"}


def test_java_has_private_members_overrides_and_annotations() -> None:
    files = {
        "src/main/java/a/Job.java": """
            package a;
            import java.util.List;
            public class Job implements Runnable {
                private static final int SPARE = 1;
                private static final int LIMIT = 2;
                public void run() { step(LIMIT); }
                private void step(int n) { }
                private void lost() { }
                @Autowired private void given(Object x) { }
                @Override public String toString() { return ""; }
                private static class Idle { }
            }
        """
    }

    assert dead(files) == {"List": "high", "Job.SPARE": "high", "Job.lost": "high", "Job.Idle": "high"}


def test_c_and_shell_name_functions_across_files() -> None:
    files = {
        "main.c": "int main(void) { return grow(1); }\nstatic int lost(int n) { return n; }\n",
        "table.c": "int grow(int n) { return n; }\nint spare(int n) { return n; }\n",
        "run.sh": "#!/bin/bash\nstart() { echo 1; }\nstop() { echo 2; }\nstart\n",
    }

    assert {"lost": "high", "spare": "medium"}.items() <= dead(files).items()
    assert not {"grow", "main", "start"} & dead(files, "low").keys()


def test_names_taken_from_an_import_at_run_time_are_used() -> None:
    files = PACKAGE | {
        "src/index.ts": """
            export async function go() {
                const { helper } = await import("./tools");
                return helper();
            }
        """,
        "src/tools.ts": "export function helper() { return 1 }\nexport function spare() { return 2 }\n",
    }

    assert dead(files) == {"spare": "medium"}


def test_private_members_of_javascript_are_used_with_their_sign() -> None:
    source = """
        class Box {
            #used() { return 1 }
            #never() { return 2 }
            static #make() { return new Box() }
            run() { return this.#used() + Box.#make().run() }
        }
        console.log(new Box().run())
    """

    assert dead({"box.js": source}) == {"Box.#never": "high"}
    assert dead({"box.ts": source}) == {"Box.#never": "high"}


def test_tests_and_operators_of_cpp_are_called_without_their_names() -> None:
    source = """
        struct P { int v; P& operator=(const P& o) { v = o.v; return *this; } };
        static bool operator!=(const P& a, const P& b) { return a.v != b.v; }
        static int nobody(int a) { return a; }
        enum Tag { kOne = 1, kTwo };
        enum Unused { kThree };
        struct LIB_EXPORT Options { Options(); bool create = false; };
        class LIB_EXPORT Reader final : Options { public: int both() { return kTwo; } };
        TEST_F(Fixture, Works) { P p; EXPECT_EQ(p.v, 1); }
        TEST_CASE("it works") { P p; CHECK(p.v == 1); }
        int main() { P p; return p.v + Options().create + Reader().both(); }
    """

    assert dead({"a.cc": source}) == {"nobody": "high", "Unused": "medium"}


def test_a_method_that_an_interface_of_go_asks_for_is_not_surely_dead() -> None:
    source = """
        package main
        type shape interface { isShape() }
        type dot struct{}
        func (d dot) isShape() {}
        func (d dot) lonely() {}
        func main() { var s shape = dot{}; _ = s }
    """

    assert dead({"go.mod": "module m\n", "main.go": source}) == {
        "dot.isShape": "medium",
        "dot.lonely": "high",
    }


def test_a_variable_named_after_the_method_it_comes_from_hides_it_not() -> None:
    source = """
        class Main {
            private static int size(int x) { return x; }
            public static void main(String[] a) { int size = size(1); System.out.println(size); }
        }
        class Pa$$word { }
        class Reader { Object read() { return Pa$$word.class; } }
        class Tool { public static void main(String[] a) { new Reader().read(); } }
    """

    assert dead({"src/Main.java": source}) == {}


def test_fields_of_an_enum_are_as_public_as_it_is() -> None:
    source = "pub enum Fault {\n    Loop { ancestor: String },\n}\n"

    assert "Fault.Loop.ancestor" not in dead({"Cargo.toml": "[package]\n", "src/lib.rs": source})


def test_a_script_without_imports_is_loaded_by_a_page() -> None:
    assert dead({"static/menu.js": "function openMenu() { return 1 }\n"}) == {"openMenu": "medium"}


def test_what_a_linter_is_told_to_pass_over_is_kept_on_purpose() -> None:
    files = {
        "src/a.test.ts": """
        // biome-ignore lint/correctness/noUnusedImports: proves that the type is exported
        import type { Kept } from "other";
        // no comment on what follows
        import type { Lost } from "other";
        """
    }
    assert dead(files, "high") == {"Lost": "high"}


def test_a_page_of_mdx_uses_components_and_prose_has_ordinary_words() -> None:
    files = {
        "src/gold.tsx": "export const Gold = () => <b />;\n",
        "src/silver.tsx": "export const Silver = () => <b />;\n",
        "docs/index.mdx": "import { Gold } from '../src/gold';\n\n<Gold />\n",
        "docs/other.md": "Silver is a metal.\n",
    }
    assert dead(files).keys() == {"Silver"}
