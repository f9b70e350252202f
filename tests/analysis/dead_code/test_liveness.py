"""Uses that are no calls: what runs when a file is loaded, registries, examples in documentation."""

from __future__ import annotations

import pytest

from tests.analysis.dead_code.made import dead, findings


def test_what_a_file_runs_when_it_is_loaded_is_alive() -> None:
    files = {
        "app.py": """
            LIMIT = 5
            def helper(): return nested(), LIMIT
            def nested(): return 1
            def default(): return 2
            def option(): return 3
            def lost(): return 4
            RESULT = helper()
            LOST = lost
            @staticmethod(option())
            def unused(value=default()): return value
        """,
        "main.js": "import './job'\n",
        "job.js": """
            const started = start({ later: () => then() })
            const alias = lost
            function start(options) { return options }
            function then() { return 1 }
            function lost() { return 2 }
        """,
        "A.java": "class A {\n  private final int at = begin();\n  private int begin() { return 1; }\n}\n",
    }

    reported = dead(files, "low")
    assert (
        not {"helper", "nested", "LIMIT", "default", "option", "start", "then", "A.begin"} & reported.keys()
    )
    assert {"RESULT", "LOST", "lost", "unused", "started", "alias"} <= reported.keys()


def test_types_of_fields_are_as_alive_as_their_class() -> None:
    models = "class Address(BaseModel):\n    city: str\nclass Person(BaseModel):\n    home: Address\n"
    files = {
        "models.py": f"from pydantic import BaseModel\n{models}class Lost(BaseModel):\n    gone: 'Gone'\n",
        "main.py": "from models import Person\nPerson.model_validate({})\n",
        "Shop.java": "class Shop {\n  public Till till;\n  public static void main(String[] a) {}\n}\n",
        "Till.java": "class Till {}\n",
    }

    assert dead(files) == {"Lost": "high"}


def test_a_class_that_a_registry_names_in_full_is_alive() -> None:
    files = {
        "src/main/java/a/Main.java": "package a;\nclass Main { public static void main(String[] x) {} }\n",
        "src/main/java/a/Ping.java": "package a;\nclass Ping implements Check {}\n",
        "src/main/java/a/Pong.java": "package a;\nclass Pong implements Check {}\n",
        "src/main/resources/META-INF/services/a.Check": "a.Ping\n",
    }

    assert dead(files) == {"Pong": "medium"}
    assert dead(files, "low")["Ping"] == "low"


@pytest.mark.parametrize(
    ("path", "text", "level"),
    [
        ("rules.unheard", "call render_page now", "low"),
        ("LICENSE", "the renderer of this page", "medium"),
        ("web/package-lock.json", '{"renderer": 1}', "medium"),
        ("logo.png", "renderer render_page", "high"),
    ],
)
def test_every_other_file_is_searched_before_a_name_occurs_nowhere(path: str, text: str, level: str) -> None:
    name = "render_page" if "render_page" in text and level != "medium" else "renderer"
    files = {"app.py": f"def {name}(): return 1\n", "notes.txt": "nothing", path: text}

    [finding] = findings(files)

    assert finding.level == level
    assert ("no other file (1 searched) contains it" in finding.reason) is (level == "high")


def test_interfaces_that_add_to_those_of_others_are_alive() -> None:
    files = {
        "package.json": '{"name": "kelp", "main": "dist/index.js"}',
        "src/index.ts": """
            import "./types";
            declare global { interface Window { kelp: number } var $shared: 1 }
            declare global { namespace Express { interface Request {} } }
            declare module "vue" { interface Options { kelp: string } }
            interface Point { x: number }
            interface Point { y: number }
            interface Lost { x: number }
            export const origin: Point = { x: 0, y: 0 };
        """,
        "src/types.ts": "export {};\n",
        "src/env.d.ts": "interface ImportMeta { readonly env: number }\n",
    }

    assert dead(files) == {"Lost": "high"}


def test_examples_in_docstrings_are_run() -> None:
    shown = 'def shown():\n    """Show.\n\n    >>> shown()\n    1\n    """\n    return 1\n'
    files = {"app.py": f"{shown}def told():\n    'Used as told() elsewhere.'\n    return 2\n"}

    assert dead(files, "low") == {"told": "high"}


def test_input_of_tests_is_not_reported_by_default() -> None:
    lost = "import os\n\ndef lost():\n    return 1\n    return 2\n"
    folders = (
        "tests/fixtures",
        "testdata",
        "tests/data",
        "test/input",
        "pkg/__snapshots__",
        "tests/test_data",
        "playground/css",
    )
    files = {f"{folder}/case.py": lost for folder in folders} | {"app.py": "def lost(): return 1\n"}

    assert {(one.file, one.level) for one in findings(files) if one.confidence >= 0.6} == {("app.py", "high")}
    assert {one.level for one in findings(files) if one.file != "app.py"} == {"low"}


def test_a_local_variable_named_in_a_string_may_be_evaluated() -> None:
    files = {"app.py": "def f():\n    Tree = kind('Tree')\n    other = kind('x')\nf()\n"}

    assert dead(files) == {"Tree": "medium", "other": "high"}


def test_a_file_that_imports_itself_is_not_imported() -> None:
    files = {"tests/plans/kelp.py": "from kelp import grow\nX = 5\n", "kelp/__init__.py": "grow = 1\n"}

    assert dead(files)["X"] == "medium"


def test_test_classes_of_java_are_run_whatever_they_are_called() -> None:
    body = "{\n  @Test\n  void adds() {}\n  @Override\n  public String toString() { return null; }\n}\n"
    files = {
        "src/test/java/a/SumsV2.java": f"package a;\nclass SumsV2 {body}",
        "src/test/java/a/SumTest3.java": "package a;\nclass SumTest3 extends Sums {}\n",
        "src/test/java/a/Sums.java": f"package a;\nabstract class Sums {body}",
        "src/test/java/a/Lost.java": "package a;\nclass Lost { @Override public void close() {} }\n",
    }

    assert dead(files) == {"Lost": "medium"}


def test_members_of_anonymous_classes_implement_what_others_call() -> None:
    text = """
        class Main {
          static final Finder finder = new Finder() {
            public int find(int number) { return own(number); }
            private int own(int number) { return number; }
            private int lost() { return 1; }
          };
          public static void main(String[] arguments) { lib.Search.run(finder); }
        }
    """

    assert dead({"Main.java": text}) == {"Main.finder.lost": "high"}


def test_a_name_that_code_may_assemble_is_not_surely_dead() -> None:
    text = 'class ShopTest { @Test void mocks() { load(Shop.class.getName() + "Kit"); } }'
    classes = {
        "ShopTest": text,
        "Shop": "interface Shop {}",
        "ShopKit": "class ShopKit implements Shop {}",
        "LostKit": "class LostKit {}",
    }
    files = {f"src/test/java/{name}.java": f"{text}\n" for name, text in classes.items()}

    assert {one.name: '"Kit"' in one.reason for one in findings(files)} == {"ShopKit": True, "LostKit": False}


def test_hooks_of_mkdocs_and_names_in_type_aliases_are_used() -> None:
    files = {
        "site/plugins/search.py": "def on_page_content(html): return html\ndef lost(): return 1\n",
        "kinds.py": "from typing import TypeAlias, Any, Never\nKind: TypeAlias = 'int | Any'\nprint(Kind)\n",
    }

    assert dead(files) == {"lost": "high", "Never": "high"}


def test_test_classes_of_python_are_collected_whatever_they_are_called() -> None:
    files = {
        "test/test_sums.py": """
            from lib import Base
            class Adding(Base):
                def test_add(self): pass
            class AddingMore(Adding): pass
            class Other(Base):
                def run(self): pass
            class Fake: pass
        """,
        "lib.py": "class Base: pass\n",
    }

    assert dead(files) == {"Other": "high", "Fake": "medium"}


def test_public_members_of_private_classes_are_accessible_where_the_module_is() -> None:
    files = {
        "pyproject.toml": '[build-system]\n[project]\nname = "kelp"\n',
        "kelp/__init__.py": "",
        "kelp/pool.py": """
            class _Record:
                def in_use(self): return 1
                def _lost(self): return 2
            def connect(): return _Record()
            connect()
        """,
    }

    assert dead(files) == {"_Record.in_use": "medium", "_Record._lost": "high"}


def test_imports_are_used_by_types_in_strings_and_kept_where_there_is_nothing_else() -> None:
    files = {
        "shim.py": "from kinds import Motor\nimport os\n",
        "kinds.py": "from typing import Union\nfrom x import Car, Bus, Van\n"
        "print(Union[int, 'Car'], Call[['Van'], int])\n"
        "class Motor: pass\nMotor()\n",
    }

    assert dead(files) == {"Bus": "high", "os": "high"}


def test_functions_in_a_callback_are_used_by_their_names() -> None:
    text = """
        export const Form = wrap(() => {
          const submit = () => { const later = () => 1; start(() => later()); };
          const lost = () => 2;
          return submit;
        });
    """

    assert dead({"Form.tsx": text, "main.tsx": "import { Form } from './Form';\nForm();\n"}, "low") == {
        "Form.lost": "low"
    }


def test_a_java_class_with_a_base_from_elsewhere_may_be_found_by_it() -> None:
    files = {
        "src/test/java/Start.java": "class Start implements EntryPoint {}\n",
        "src/test/java/Lost.java": "class Lost implements Serializable {}\n",
    }

    assert {one.name: "loaded" in one.reason for one in findings(files)} == {"Start": True, "Lost": False}


def test_names_that_are_unpacked_with_used_ones_are_not_surely_dead() -> None:
    files = {"app.py": "failed, ran = test()\nprint(failed)\none, two = test()\n"}

    assert dead(files) == {"ran": "medium", "one": "high", "two": "high"}


def test_a_static_import_uses_the_class_and_a_call_in_c_declares_nothing() -> None:
    tests = "import static a.Utils.Builder.unnamed;\nclass UtilsTest { @Test void x() { unnamed(); } }\n"
    builder = "static class Builder { static Builder unnamed() { return null; } }"
    files = {
        "src/test/java/a/Utils.java": f"package a;\nclass Utils {{ {builder} static class Lost {{}} }}\n",
        "src/test/java/a/UtilsTest.java": f"package a;\n{tests}",
        "main.cpp": "int main() {\n#ifdef DEBUG\n    dump();\n#endif\n    Kind other(x);\n}\n",
    }

    assert dead(files) == {"Utils.Lost": "high"}


def test_public_methods_of_scripts_may_be_called_on_an_object() -> None:
    text = "class Request { prompt() { return 1 } private lost() { return 2 } }\nregister(new Request())\n"

    assert dead({"package.json": "{}", "main.ts": text}) == {
        "Request.prompt": "medium",
        "Request.lost": "high",
    }


def test_subclasses_that_a_helper_collects_are_alive() -> None:
    files = {
        "plugins.py": """
            from tools import load
            class Plugin: pass
            class First(Plugin): pass
            class Other: pass
            class Second(Other): pass
            PLUGINS = load(Plugin)
            print(PLUGINS, Other)
        """,
        "tools.py": """
            def load(base): return sorted(collect(base))
            def collect(base): return base.__subclasses__()
        """,
    }

    assert dead(files) == {"Second": "high"}


def test_type_comments_and_marks_for_pylint_keep_imports() -> None:
    text = (
        "import typing as t\nimport re\nimport os  # pylint: disable=unused-import\nx = []  # type: t.Any\n"
    )

    assert dead({"app.py": f"{text}print(x)\n"}) == {"re": "high"}


def test_macros_and_attributes_of_c_are_no_unused_functions() -> None:
    text = """
        class Suite { CPPUNIT_TEST_SUITE(Suite); CPPUNIT_TEST(adds); public: void adds(); void lost(); };
        DECLARE_WRAPPER(int, free, (void* p)) { return 1; }
        static __attribute__((unused)) int kept(int x) { return x; }
        [[maybe_unused]] static int also() { return 1; }
        static inline __attribute__((always_inline)) int lost_too(int x) { return x;; }
        int __poll_chk(int x) { return x; }
        int main() { Suite suite; return 0; }
    """

    assert dead({"main.cpp": text}) == {"Suite.lost": "medium", "lost_too": "high"}


def test_methods_of_classes_inside_methods_are_called_by_others() -> None:
    text = """
        class Main {
          Main() { button.add(new Listener() { public void clicked(int x) {} }); }
          public static void main(String[] arguments) { new Main(); }
        }
    """

    assert dead({"Main.java": text}) == {}


def test_go_code_that_others_call_by_a_directive_or_under_a_local_name_is_not_dead() -> None:
    files = {
        "main.go": """
            package main
            import "C"
            const dir = "x"
            const lost = "y"
            //export Begin
            func Begin() int { return 1 }
            // Exported by nobody.
            func Lost() int { return 1 }
            func main() { dir := join(dir); print(dir) }
        """
    }

    assert dead(files) == {"dir": "medium", "lost": "medium", "Lost": "high"}


def test_methods_that_observe_events_are_called() -> None:
    text = """
        class Main {
          void begins(@Observes Event event) {}
          private void lost(@Nullable Event event) {}
          public static void main(String[] arguments) { Container.load(new Main()); }
        }
    """

    assert dead({"Main.java": text}) == {"Main.lost": "high"}


def test_code_in_namespaces_is_public_built_files_stay_and_globals_are_looked_up() -> None:
    files = {
        "lib.cpp": "namespace agg {\nint table[2] = {1, 2};\nstatic int lost = 1;\n}\n",
        "action/dist/index.js": "import fs from 'fs'\nfunction lost() {}\n",
        "steps.py": "def _g1(): return 1\ndef _g2(): return 2\nprint([globals()[f'_g{i}'] for i in [1]])\n",
    }

    assert dead(files) == {"agg.lost": "high", "_g1": "medium", "_g2": "medium"}


def test_a_remark_keeps_all_names_of_an_import_with_comments_between_them() -> None:
    text = "from x import (  # noqa\n    one,\n    # more\n    two,\n)\nimport lost\n"
    lab = "from kinds import *\nfrom kinds import Car\nprint(1)\n"

    assert dead({"app.py": text, "lab.py": lab, "kinds.py": "class Car: pass\nCar()\n"}) == {"lost": "high"}
