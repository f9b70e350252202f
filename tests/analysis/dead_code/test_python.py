"""Dead code in Python: what is found, how sure, and what conventions keep alive."""

from __future__ import annotations

import pytest

from tests.analysis.dead_code.made import dead, findings

MAIN = """
    from tools import used

    if __name__ == "__main__":
        used()
"""


def test_a_function_that_nothing_names_is_surely_dead_and_its_lines_are_true() -> None:
    source = "def used():\n    return 1\n\n\n@staticmethod\ndef forgotten():\n    return 2\n"

    [found] = findings({"main.py": MAIN, "tools.py": source})

    assert (found.kind, found.name, found.file, found.level) == ("function", "forgotten", "tools.py", "high")
    assert (found.line, found.end_line) == (6, 7)


def test_recursion_keeps_nothing_alive() -> None:
    source = """
        def used(): return 1
        def alone(n): return alone(n - 1)
        def ping(n): return pong(n)
        def pong(n): return ping(n)
    """

    assert dead({"main.py": MAIN, "tools.py": source}) == {
        "alone": "high",
        "ping": "medium",
        "pong": "medium",
    }


def test_what_only_dead_code_uses_is_dead_too() -> None:
    source = """
        def used(): return 1
        def outer(): return helper()
        def helper(): return LIMIT
        LIMIT = 3
    """

    assert dead({"main.py": MAIN, "tools.py": source}) == {
        "outer": "high",
        "helper": "medium",
        "LIMIT": "medium",
    }


def test_a_method_lives_while_its_name_is_asked_of_anything() -> None:
    source = """
        class Store:
            def __init__(self): self.items = []
            def __len__(self): return len(self.items)
            def add(self, item): self.items.append(item)
            def forget(self): self.items.clear()
            def _tidy(self): return None

        def used(): Store().add(1)
    """

    assert dead({"main.py": MAIN, "tools.py": source}) == {"Store.forget": "high", "Store._tidy": "high"}


def test_a_dead_class_is_told_once_with_what_is_in_it() -> None:
    source = """
        def used(): return 1
        class Gone:
            def run(self): return self.step()
            def step(self): return 1
    """

    assert dead({"main.py": MAIN, "tools.py": source}) == {"Gone": "high"}


def test_a_local_variable_of_the_same_name_is_no_use() -> None:
    source = """
        def used(total): return total
        def total(): return 1
    """

    assert dead({"main.py": MAIN, "tools.py": source}) == {"total": "high"}


def test_imports_are_followed_through_packages_aliases_and_modules() -> None:
    files = {
        "app.py": "import shop.stock as s\nfrom shop import price as p\nimport shop.tax\n"
        "if __name__ == '__main__':\n    print(p(), s.level(), shop.tax.rate())\n",
        "shop/__init__.py": "from shop.prices import price\n",
        "shop/prices.py": "def price(): return 1\ndef rebate(): return 2\n",
        "shop/stock.py": "def level(): return 1\ndef order(): return 2\n",
        "shop/tax.py": "def rate(): return 1\ndef exempt(): return 2\n",
    }

    assert dead(files) == {"rebate": "high", "order": "high", "exempt": "high"}


def test_a_name_in_a_string_or_a_template_lowers_the_confidence_and_that_of_what_it_leads_to() -> None:
    files = {
        "main.py": MAIN,
        "tools.py": """
            def used(): return getattr(object(), "by_string")
            def by_string(): return helper()
            def helper(): return 1
            def by_template(): return 1
            def handle_get(): return 1
            def dispatch(kind): return globals()[f"handle_{kind}"]
            used, dispatch
        """,
        "page.html": "<p>{{ by_template }}</p>",
    }

    assert dead(files) == {}
    assert dead(files, "low") == dict.fromkeys(["by_string", "helper", "by_template", "handle_get"], "low")


def test_what_a_package_offers_others_is_low_and_other_public_names_of_a_built_project_medium() -> None:
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\n[project]\nname = "kelp"\n',
        "kelp/__init__.py": "from kelp.api import offered\n",
        "kelp/api.py": "def offered(): return 1\ndef open_(): return 2\ndef _own(): return 3\n",
        "kelp/listed.py": "__all__ = ['said']\ndef said(): return 1\ndef unsaid(): return 2\n",
    }

    assert dead(files, "low") == {
        "offered": "low",
        "open_": "medium",
        "_own": "high",
        "said": "low",
        "unsaid": "high",
    }


def test_console_scripts_begin_where_settings_say() -> None:
    files = {
        "pyproject.toml": '[project]\nname = "kelp"\n[project.scripts]\nkelp = "kelp.cli:start"\n',
        "kelp/cli.py": "def start(): return step()\ndef step(): return 1\ndef stop(): return 2\n",
    }

    assert dead(files) == {"stop": "high"}


def test_unused_imports_variables_and_unreachable_statements_are_found() -> None:
    source = """
        import json
        import os
        from shared import passed_on

        def used():
            count = 1
            return os.name
            print("never")
    """
    files = {"main.py": MAIN, "tools.py": source, "shared.py": "def passed_on(): return 1\n"}

    found = {(one.kind, one.name, one.line) for one in findings(files) if one.level == "high"}

    assert {("import", "json", 1), ("local", "count", 6), ("unreachable", "used", 8)} <= found


def test_an_import_that_another_file_takes_from_there_is_used() -> None:
    files = {
        "compat.py": "from json import dumps\nfrom json import loads\nimport re\n",
        "main.py": "import compat\nfrom compat import dumps\nif __name__ == '__main__':\n"
        "    dumps(compat.loads('1'))\n",
    }

    assert dead(files) == {"re": "high"}


FRAMEWORKS = {
    "django command": {
        "shop/management/commands/sync.py": "from django.core.management.base import BaseCommand\n"
        "class Command(BaseCommand):\n    def add_arguments(self, parser): pass\n"
        "    def handle(self): work()\n"
        "def work(): return 1\n"
    },
    "django settings and urls": {
        "site/settings.py": "DEBUG = True\nINSTALLED_APPS = ['shop']\n",
        "site/urls.py": "from shop.views import home\nurlpatterns = [home]\nhandler404 = 'shop.lost'\n",
        "shop/views.py": "def home(request): return 1\n",
    },
    "django models": {
        "shop/models.py": "from django.db import models\nclass Stamped(models.Model):\n"
        "    class Meta:\n        abstract = True\nclass Order(Stamped):\n    def save(self): return 1\n",
    },
    "celery": {"tasks.py": "from celery import shared_task\n@shared_task\ndef send(): return helper()\n"
               "def helper(): return 1\n"},
    "fastapi": {"api.py": "from fastapi import APIRouter\nrouter = APIRouter()\n"
                "@router.get('/')\nasync def read(): return 1\n"},
    "flask": {"web.py": "from flask import Flask\napp = Flask('x')\n@app.route('/')\ndef home(): return 1\n"
              "@app.errorhandler(404)\ndef lost(error): return 2\n"},
    "click": {"cli.py": "import click\n@click.group()\ndef cli(): pass\n@cli.command()\ndef run(): pass\n"},
    "alembic": {"alembic/versions/1_first.py": "revision = '1'\ndown_revision = None\n"
                "def upgrade(): pass\ndef downgrade(): pass\n"},
    "pytest": {"tests/test_x.py": "import pytest\n@pytest.fixture\ndef made(): return 1\n"
               "def test_it(made): assert made\nclass TestThing:\n    def test_more(self): pass\n",
               "tests/conftest.py": "def pytest_configure(config): pass\n"},
    "unittest": {"tests/test_y.py": "import unittest\nclass Case(unittest.TestCase):\n"
                 "    def setUp(self): pass\n    def test_it(self): pass\n"},
    "jupyter": {"show.py": "class Table:\n    def _repr_html_(self): return '<p>'\nprint(Table())\n"},
    "visitor": {"walk.py": "import ast\nclass Finder(ast.NodeVisitor):\n"
                "    def visit_Name(self, node): pass\n"
                "Finder().visit(1)\n"},
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_what_a_framework_calls_is_alive(name: str) -> None:
    # A function beside it that nothing calls shows that the file is looked at.
    path, source = next(iter(FRAMEWORKS[name].items()))
    files = FRAMEWORKS[name] | {path: f"{source}\ndef _nobody_calls():\n    return 0\n"}

    assert dead(files) == {"_nobody_calls": "high"}


REGISTRIES = {
    "a hook for subclasses": "class Base:\n    def __init_subclass__(cls): pass\nclass Found(Base): pass\n",
    "a metaclass": "class Kind(type): pass\nclass Base(metaclass=Kind): pass\nclass Found(Base): pass\n",
    "a question for subclasses": "class Base: pass\nclass Found(Base): pass\nprint(Base.__subclasses__())\n",
}


@pytest.mark.parametrize("name", REGISTRIES)
def test_a_class_that_its_base_learns_of_is_alive(name: str) -> None:
    control = REGISTRIES[name].replace("Found(Base)", "Found")

    assert "Found" not in dead({"m.py": f"{REGISTRIES[name]}Base()\n"}, "low")
    assert dead({"m.py": f"{control}Base()\n"})["Found"] == "high"


def test_members_that_a_known_base_does_not_call_are_found_and_those_of_unknown_ones_are_doubted() -> None:
    source = """
        from django.db import models
        from elsewhere import Engine

        class Order(models.Model):
            def save(self): return 1
            def forgotten(self): return 2

        class Job(Engine):
            def doubtful(self): return 3

        Job()
    """

    assert dead({"m.py": source}, "low") == {"Order.forgotten": "medium", "Job.doubtful": "low"}


def test_a_base_of_a_common_name_is_the_projects_own_where_it_has_one() -> None:
    own = "class Base: pass\nclass Gone(Base): pass\nBase()\n"
    foreign = "from database import Base\nclass Table(Base): pass\n"
    tests = "import unittest\nclass TestCase(unittest.TestCase): pass\nclass Checks(TestCase): pass\n"

    assert dead({"m.py": own}) == {"Gone": "high"}
    assert dead({"m.py": foreign, "tests/checks.py": tests}) == {}


def test_a_class_named_after_its_base_from_elsewhere_may_be_called_by_it() -> None:
    source = "import simple\nclass Server(simple.Server):\n    def finish(self): return 1\nServer()\n"

    assert dead({"m.py": source}, "low") == {"Server.finish": "low"}
    assert dead({"m.py": source.replace("(simple.Server)", "")})["Server.finish"] == "high"


def test_a_name_in_the_text_of_a_template_is_a_mention() -> None:
    source = """
        class Page:
            def is_open(self): return True
            def is_shut(self): return False

        PAGE = Page(), "{% if page.is_open %}open{% endif %}"
    """

    assert dead({"main.py": "from tools import PAGE\nprint(PAGE)\n", "tools.py": source}) == {
        "Page.is_shut": "high"
    }


def test_what_decorators_and_defaults_use_is_not_hidden_by_a_local_of_that_name() -> None:
    source = """
        from outside import wrap
        def helper(): return 1
        SIZE = 3

        @wrap(helper)
        def used(SIZE=SIZE):
            helper = SIZE
            return helper
    """

    assert dead({"main.py": MAIN, "tools.py": source}) == {}


def test_members_that_a_class_of_another_project_may_call_are_not_surely_dead() -> None:
    source = """
        import outside
        from outside import Protocol

        class Pool(outside.Pool):
            def _hook(self): return 1

        class Reader(Protocol):
            def connected(self): return 1

        @outside.implementer(outside.Producer)
        class Producer:
            def produce(self): return 1

        def used(): return Pool(), Reader(), Producer()
    """

    assert "high" not in dead({"main.py": MAIN, "tools.py": source}).values()


def test_what_tests_read_and_what_stands_in_for_something_is_not_surely_dead() -> None:
    files = {
        "tests/roots/project.py": "import json\ndef shown(): return 1\n",
        "tests/test_tools.py": """
            class FakeLock:
                def acquire(self): return 1

            class Row:
                def value(self): return 1

            def test_row():
                class Refused(Row): pass
                return FakeLock()

            def forgotten(): return 1
        """,
    }

    found = dead(files)

    assert found.pop("forgotten") == "high"
    assert set(found.values()) == {"medium"}


def test_a_remark_on_the_first_line_of_a_statement_keeps_all_that_it_imports() -> None:
    source = "from json import (  # noqa: F401\n    dumps,\n    loads,\n)\ndef used(): return 1\n"

    assert dead({"main.py": MAIN, "tools.py": source}) == {}


def test_bases_of_what_a_package_offers_are_offered_with_it() -> None:
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\n[project]\nname = "kelp"\n',
        "kelp/__init__.py": "from kelp._api import Item\n",
        "kelp/_api.py": "class Node:\n    def names(self): return 1\nclass Item(Node): pass\n",
    }

    assert dead(files) == {}
