"""Names of Python mean what Python would find."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import MODULE
from tests.analysis.graph.trees import edges_of, graph_of, scan_commit


def test_calls_are_found_through_imports_aliases_and_reexports() -> None:
    texts = {
        "pkg/__init__.py": "from .core import run as start, Engine\nfrom .extra import *\n",
        "pkg/core.py": "def run(): pass\nclass Engine:\n    def turn(self): pass\n",
        "pkg/extra.py": "def bonus(): pass\n",
        "app.py": """
            import pkg
            import pkg.core as heart
            from pkg import start, bonus

            def main():
                start()
                bonus()
                pkg.start()
                heart.run()
                pkg.core.run()
                pkg.Engine.turn(None)
        """,
    }
    assert edges_of(texts, "call-graph") == {
        "app.py::main -> pkg/core.py::run",
        "app.py::main -> pkg/extra.py::bonus",
        "app.py::main -> pkg/core.py::Engine.turn",
    }
    [run] = [edge for edge in graph_of(texts, "call-graph").edges if edge.target == "pkg/core.py::run"]
    assert run.weight == 4


def test_parameters_and_local_variables_hide_what_is_outside() -> None:
    texts = {
        "a.py": """
            def helper(): pass

            def hidden_by_parameter(helper):
                helper()

            def hidden_by_variable():
                helper = print
                helper()

            def seen():
                helper()
        """
    }
    assert edges_of(texts, "call-graph") == {"a.py::seen -> a.py::helper"}


def test_a_nested_function_hides_an_outer_one_and_class_bodies_are_not_seen_from_methods() -> None:
    texts = {
        "a.py": """
            def work(): pass

            def outer():
                def work(): pass
                work()

            class Box:
                def work(self): pass
                def open(self):
                    work()
        """
    }
    assert edges_of(texts, "call-graph") == {
        "a.py::outer -> a.py::outer.work",
        "a.py::Box.open -> a.py::work",
    }


def test_methods_are_found_in_the_class_and_its_bases_across_files() -> None:
    texts = {
        "base.py": """
            class Base:
                def shared(self): self.hook()
                def hook(self): pass
        """,
        "child.py": """
            import base as b

            class Child(b.Base):
                def hook(self):
                    super().hook()
                    self.shared()
                def make(self):
                    Child().hook()
        """,
    }
    assert edges_of(texts, "call-graph") == {
        "base.py::Base.shared -> base.py::Base.hook",
        "child.py::Child.hook -> base.py::Base.hook",
        "child.py::Child.hook -> base.py::Base.shared",
        "child.py::Child.make -> child.py::Child.hook (likely)",
        "child.py::Child.make -> child.py::Child",
    }
    assert edges_of(texts, "inheritance") == {"child.py::Child -> base.py::Base"}


def test_creating_an_object_calls_its_constructor() -> None:
    texts = {"a.py": "class A:\n    def __init__(self): pass\n\ndef f():\n    A()\n"}
    assert edges_of(texts, "call-graph") == {"a.py::f -> a.py::A.__init__"}


def test_a_method_of_something_unknown_is_a_guess_only_where_one_has_that_name() -> None:
    texts = {
        "a.py": """
            class Engine:
                def ignite(self): pass
                def append(self): pass
                def turn(self): pass

            class Key:
                def turn(self): pass

            def drive(car):
                car.ignite()
                car.append()
                car.turn()
        """
    }
    assert edges_of(texts, "call-graph") == {"a.py::drive -> a.py::Engine.ignite (guess)"}


def test_imports_lead_to_files_and_rings_of_them_end() -> None:
    texts = {
        "p/__init__.py": "from .a import one\n",
        "p/a.py": "from . import b\ndef one(): b.two()\n",
        "p/b.py": "from .a import one\nfrom .c import missing\ndef two(): one()\n",
        "p/c.py": "from .b import missing\n",
        "q/a.py": "import os\n",
    }
    assert edges_of(texts, "import-graph") == {
        "p/__init__.py -> p/a.py",
        "p/a.py -> p/b.py",
        "p/b.py -> p/a.py",
        "p/b.py -> p/c.py",
        "p/c.py -> p/b.py",
    }
    assert edges_of(texts, "call-graph") == {"p/a.py::one -> p/b.py::two", "p/b.py::two -> p/a.py::one"}


def test_imports_within_a_function_bind_there() -> None:
    texts = {
        "a.py": "def f():\n    from b import g\n    g()\n\ndef h():\n    g()\n",
        "b.py": "def g(): pass\n",
    }
    assert edges_of(texts, "call-graph") == {"a.py::f -> b.py::g"}
    [edge] = graph_of(texts, "import-graph").edges
    assert edge.is_deferred


def test_what_comes_from_outside_is_counted_by_package_and_drawn_only_when_asked() -> None:
    texts = {
        "a.py": """
            import os
            from requests import get
            from unittest import TestCase

            class Checks(TestCase):
                def test_it(self):
                    self.assertTrue(get(os.getcwd()))
                    len([])
                    nonsense()
        """
    }
    graph = graph_of(texts, "call-graph")
    assert graph.edges == ()
    assert graph.external == {"builtins": 1, "os": 1, "requests": 1, "unittest": 1}
    assert graph.sites["Calls"] == (5, 0, 4, 1), "what nobody defines is not resolved"
    drawn = graph_of(texts, "call-graph", include_external=True)
    assert {edge.target for edge in drawn.edges} == {
        "external:builtins",
        "external:os",
        "external:requests",
        "external:unittest",
    }


def test_coupling_counts_files_and_not_places() -> None:
    texts = {
        "a.py": "import c\nimport c as d\nfrom c import f\n",
        "b.py": "from c import f\nimport a\n",
        "c.py": "def f(): pass\n",
    }
    assert graph_of(texts, "import-graph").coupling() == {"a.py": (1, 1), "b.py": (0, 2), "c.py": (2, 0)}


def test_types_that_extend_each_other_or_themselves_end() -> None:
    texts = {
        "a.py": """
            from b import B

            class A(B):
                def f(self): self.g()

            class S(S):
                def h(self): self.i()
        """,
        "b.py": "from a import A\nfrom c import *\n\nclass B(A):\n    def g(self): super().f()\n",
        "c.py": "from b import *\n",
    }
    assert edges_of(texts, "call-graph") == {"a.py::A.f -> b.py::B.g", "b.py::B.g -> a.py::A.f"}
    assert edges_of(texts, "inheritance") == {"a.py::A -> b.py::B", "b.py::B -> a.py::A"}


def test_a_very_long_chain_of_reexports_or_bases_ends() -> None:
    chain = {f"m{number}.py": f"from m{number + 1} import f\n" for number in range(2000)}
    chain["m2000.py"] = "def f(): pass\n"
    chain["run.py"] = "from m0 import f\nf()\n"
    assert len(edges_of(chain, "import-graph")) == 2001
    assert len(edges_of(chain, "call-graph")) <= 1
    deep = "".join(f"class C{number}(C{number + 1}): pass\n" for number in range(2000))
    assert len(edges_of({"a.py": deep}, "inheritance")) == 1999
    assert edges_of({"a.py": deep + "C0.x()\n"}, "call-graph") == set()


def test_two_threads_may_look_for_the_same_name() -> None:
    scan, _ = scan_commit({"app.py": "from lib import f\nf()\n", "lib.py": "def f(): pass\n"})
    is_begun, may_go_on = Event(), Event()

    def read_slowly_at_first(_path: str) -> str | None:
        if not is_begun.is_set():
            is_begun.set()
            may_go_on.wait(60)
        return None

    resolution = Resolution(scan, read_slowly_at_first)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(resolution.resolve_name, "app.py", MODULE, "f")
        assert is_begun.wait(60)
        mine = resolution.resolve_name("app.py", MODULE, "f")
        may_go_on.set()
        assert mine == other.result()
    assert [place.path for place in mine.places] == ["lib.py"]
