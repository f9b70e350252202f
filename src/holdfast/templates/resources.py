"""Templates as MCP resources: each is listed, and its text before rendering can be read."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.kernel.resource import Complete, ListedResource, ResourceBody
from holdfast.kernel.untrusted import visible
from holdfast.templates.address import TemplateAddress, malformed
from holdfast.templates.catalogue import Templates
from holdfast.templates.template import Template
from holdfast.templates.toolset import templates

_JINJA_TYPE = "text/x-jinja2"
_DESCRIPTION_BY_ORIGIN = {
    "user": "A template from your own folder.",
    "repository": "A template from this repository.",
}


def all_templates(room: Templates) -> Iterable[ListedResource]:
    """Return the entries of all templates in the list of resources."""
    return [_listed_resource(template) for template in room.catalogue.matching()]


def _name_completion(part: str) -> Complete:
    def complete(room: Templates, typed: str) -> list[str]:
        names = {getattr(template.address, part) for template in room.catalogue.matching()}
        return sorted(name for name in names if name.startswith(typed.lower()))

    return complete


def _listed_resource(template: Template) -> ListedResource:
    address, declared = template.address, template.declared
    # Text from users and repositories is untrusted data, so it is never part of a name or description.
    is_trusted = template.is_builtin
    return ListedResource(
        uri=address.uri,
        name=declared.name if is_trusted else f"{address.category} {address.toolchain} {address.variant}",
        description=declared.description if is_trusted else _DESCRIPTION_BY_ORIGIN[template.origin],
        mime_type=template.metadata.mime_type,
    )


@templates.resource(
    "template://{category}/{toolchain}/{variant}",
    name="Template",
    description="A template before its parameters are filled in",
    mime_type=_JINJA_TYPE,
    members=all_templates,
    malformed=malformed,
    complete={part: _name_completion(part) for part in ("category", "toolchain", "variant")},
    specified=True,
)
def template_text(room: Templates, category: str, toolchain: str, variant: str) -> ResourceBody:
    """Return the body of a template."""
    template = room.catalogue.find(TemplateAddress.of(category, toolchain, variant))
    return ResourceBody(text=visible(template.body), mime_type=_JINJA_TYPE)
