from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.processes import confined
from holdfast.storage.processes.confined import run_confined
from holdfast.templates.catalogue import Templates
from holdfast.templates.confined_renderer import render_request
from holdfast.templates.errors import TemplateBroken
from holdfast.templates.renderer import RenderedFile
from tests.reliability.evidence import Tally
from tests.templates.conftest import OwnTemplate

NOTICE = "template://notice/rust/cli"

ATTRIBUTE_TRICKS = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__'] }}",
    "{{ project_name | attr('__class__') }}",
    "{{ ().__class__.__bases__[0] }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ lipsum.__globals__ }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ range.__class__ }}",
    "{{ '{0.__class__.__init__.__globals__}'.format(project_name) }}",
    "{{ '{0.__class__}'.format_map({'0': project_name}) }}",
    "{{ ('{0.__cl' ~ 'ass__}') | format(project_name) }}{{ x.y }}",
    "{{ (project_name | map('attr', '__class__') | list)[0].__mro__ }}",
    "{% set f = ''.format %}{{ f.__self__.__class__ }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
    "{% extends 'x' %}",
    "{{ items.append(1) }}",
    "{{ undefined_name }}",
    "{{ 1 / 0 }}",
    "{{ project_name.no_such_thing }}",
    "{{ get_flashed_messages() }}",
    "{% for x in items %}",
    "{{ [1] | random }}",
    "{{ project_name() }}",
    "{{ items[99999999999999999999] }}",
    "{{ items | xmlattr }}",
    "{{ (1).real.foo.bar }}",
]


def generate(room: Templates, **more: object) -> RenderedFile:
    return room.generate(room.find(NOTICE), {"project_name": "kelp", **more})


@pytest.mark.requirement("reliability-E6")
@pytest.mark.parametrize("body", ATTRIBUTE_TRICKS)
@pytest.mark.evidence("E6", "templates", "attribute tricks, endless loops, large outputs")
def test_a_template_reaches_nothing_but_its_parameters(body: str):
    request = {"path": "x", "body": body, "values": {"project_name": "kelp", "items": ["a"]}, "limit": 1000}
    answer = render_request(json.dumps(request).encode())
    assert json.loads(answer)["failure"] == "template"
    assert b"root:" not in answer


@pytest.mark.requirement("reliability-E6")
@pytest.mark.parametrize(
    "body",
    [
        *(ATTRIBUTE_TRICKS[0], "{% include '/etc/passwd' %}", "{% for x in items %}"),
        "{% for a in [1] %}" * 30 + "{% endfor %}" * 30,
    ],
)
def test_a_confined_template_that_fails_is_named_with_what_to_mend(
    room: Templates, own_template: OwnTemplate, body: str
):
    own_template(body)
    with pytest.raises(TemplateBroken) as failure:
        generate(room)
    assert " cannot be rendered: " in failure.value.sentence()
    assert "Fix 'notice.template'." in failure.value.sentence()
    assert "root:" not in failure.value.sentence()


@pytest.mark.requirement("reliability-E6")
@pytest.mark.parametrize(
    "body",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 9 ** (9 ** (9 ** 9)) }}",
        "{% set n = namespace(x='a') %}{% for a in range(99999) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    ],
)
@pytest.mark.evidence("E6", "templates", "attribute tricks, endless loops, large outputs")
def test_a_template_that_never_ends_is_ended(room: Templates, own_template: OwnTemplate, body: str):
    own_template(body)
    with pytest.raises((DeadlineExceeded, TooLarge)):
        generate(room)


@pytest.mark.requirement("reliability-E6")
@pytest.mark.parametrize(
    "body",
    [
        "{{ 'x' * 10000000 }}",
        "{% for a in range(99999) %}{{ 'x' * 101 }}{% endfor %}",
        "{{ 'x' * 10000000000 }}",
        "{{ '%10000000d' | format(1) }}",
        "{{ ['x'] * 1000000000 }}",
    ],
)
@pytest.mark.evidence("E6", "templates", "attribute tricks, endless loops, large outputs")
def test_a_template_that_gives_too_much_is_refused(room: Templates, own_template: OwnTemplate, body: str):
    own_template(body)
    with pytest.raises(TooLarge):
        generate(room)


def test_the_largest_file_is_accepted_and_one_byte_more_is_not(room: Templates, own_template: OwnTemplate):
    own_template("{{ 'é' * 524288 }}")
    assert len(generate(room).content.encode()) == LIMITS.rendered_file_bytes
    own_template("{{ 'é' * 524288 }}x")
    with pytest.raises(TooLarge):
        generate(room)


def test_a_recursion_without_end_is_a_broken_template(room: Templates, own_template: OwnTemplate):
    own_template("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}")
    with pytest.raises(HoldfastError):
        generate(room)


@pytest.mark.requirement("reliability-E6")
@pytest.mark.evidence("E6", "templates", "attribute tricks, endless loops, large outputs")
def test_parameters_are_never_evaluated(room: Templates, own_template: OwnTemplate):
    own_template("{{ project_name }} {{ items | join }}")
    made = generate(room, project_name="{{ 7 * 7 }}", items=["{% raw %}", "{{ x }}"])
    assert made.content == "{{ 7 * 7 }} {% raw %}{{ x }}"


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../../x", ".git/hooks/x", "{{ project_name }}/../../x", "", "a\\\\b"]
)
def test_a_template_cannot_name_a_file_outside_the_project(
    room: Templates, own_template: OwnTemplate, path: str
):
    own_template("x", path=path or "{{ '' }}")
    with pytest.raises(TemplateBroken):
        generate(room)


def test_what_nobody_can_see_does_not_leave_a_template(room: Templates, own_template: OwnTemplate):
    own_template("a\u202eb\x1b[31mc\u200b\n")
    made = generate(room)
    assert made.content == "abc\n"
    assert made.checksum == hashlib.sha256(b"abc\n").hexdigest()


def test_the_same_parameters_give_the_same_bytes_in_any_process(room: Templates, repository: Path):
    script = (
        "import sys\n"
        "from holdfast.storage.git.repository import Repository\n"
        "from holdfast.templates.catalogue import Templates\n"
        "from holdfast.templates.scaffold import ScaffoldRequest, scaffold\n"
        "room = Templates(Repository.discover(sys.argv[1]))\n"
        "made = scaffold(\n"
        " room, ScaffoldRequest('rust', 'cli', ['all'], {'project_name': 'k', 'description': 'd'}))\n"
        "print([(file.path, file.checksum) for file in made.files])\n"
    )
    command = [sys.executable, "-c", script, str(repository)]
    first, second = (
        subprocess.run(
            command, capture_output=True, check=True, env={"PYTHONHASHSEED": seed}, timeout=60
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
    assert first.count(b"Makefile") == 1


def test_what_was_rendered_is_kept_until_the_template_or_a_value_changes(
    room: Templates, own_template: OwnTemplate, monkeypatch: pytest.MonkeyPatch
):
    calls: list[str] = []

    def counted(module: str, function: str, *request: Any) -> bytes:
        calls.append(function)
        return run_confined(module, function, *request)

    monkeypatch.setattr(confined, "run_confined", counted)
    own_template("{{ project_name }} {{ items | length }}")
    assert generate(room) is generate(room)
    assert len(calls) == 1
    assert generate(room, items=["a"]).content == "kelp 1"
    own_template("{{ project_name }}!")
    assert generate(room).content == "kelp!"
    assert len(calls) == 3


def test_a_cancelled_request_ends_its_process(room: Templates, own_template: OwnTemplate):
    # One that renders at once may be done before anybody looks.
    own_template("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")
    call = Call()
    call.cancel()
    with running(call), pytest.raises(Cancelled):
        generate(room)


def test_jinja_is_not_loaded_before_a_template_is_rendered(repository: Path):
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from holdfast.workspace import Workspace\n"
        "from holdfast.templates.tools.generate_template import *\n"
        "from holdfast.templates.tools.list_templates import *\n"
        "from holdfast.templates.tools.validate_template import *\n"
        "room = Workspace.discover(Path(sys.argv[1])).room('templates')\n"
        "uri = 'template://makefile/rust/cli'\n"
        "list_templates(room, ListTemplates())\n"
        "validate_template(room, ValidateTemplate(resource_uri=uri, parameters={'project_name': 'k'}))\n"
        "assert not {'jinja2', 're2'} & set(sys.modules)\n"
        "generate_template(room, GenerateTemplate(resource_uri=uri, parameters={'project_name': 'k'}))\n"
        "assert 'jinja2' in sys.modules\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script, str(repository)], capture_output=True, text=True, timeout=60
    )
    assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.evidence("E6", "templates", control="the same engine without its sandbox")
def test_control_without_the_sandbox_a_template_reaches_more(tally: Tally):
    environment = jinja2.Environment(autoescape=False)
    reached = []
    for body in (trick for trick in ATTRIBUTE_TRICKS if "popen" not in trick):
        with contextlib.suppress(
            jinja2.TemplateError, ArithmeticError, TypeError, AttributeError, ValueError
        ):
            reached.append(environment.from_string(body).render(project_name="kelp", items=[1]))
    tally(len(ATTRIBUTE_TRICKS), reached)
    assert len(reached) > 5
