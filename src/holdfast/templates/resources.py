"""Templates by address: each one listed, each one readable as it is written."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.kernel.resource import Complete, ListedResource, ResourceBody
from holdfast.kernel.untrusted import visible
from holdfast.templates.address import TemplateAddress, malformed
from holdfast.templates.catalogue import Templates
from holdfast.templates.template import Template
from holdfast.templates.toolset import templates

_JINJA = "text/x-jinja2"
_WHOSE = {"user": "A template from your own folder.", "repository": "A template from this repository."}


def members(room: Templates) -> Iterable[ListedResource]:
    """Return every template there is."""
    return [_listed(template) for template in room.catalogue.matching()]


def _names(part: str) -> Complete:
    def complete(room: Templates, typed: str) -> list[str]:
        names = {getattr(template.address, part) for template in room.catalogue.matching()}
        return sorted(name for name in names if name.startswith(typed.lower()))

    return complete


def _listed(template: Template) -> ListedResource:
    address, place = template.address, template.place
    # What others wrote about their templates is data for list_templates, never part of a description.
    ours = template.is_builtin
    return ListedResource(
        uri=address.uri,
        name=place.name if ours else f"{address.category} {address.toolchain} {address.variant}",
        description=place.description if ours else _WHOSE[template.origin],
        mime_type=template.metadata.mime_type,
    )


@templates.resource(
    "template://{category}/{toolchain}/{variant}",
    name="Template",
    description="A template as it is written, before its parameters are filled in",
    mime_type=_JINJA,
    members=members,
    malformed=malformed,
    complete={part: _names(part) for part in ("category", "toolchain", "variant")},
    specified=True,
)
def template_text(room: Templates, category: str, toolchain: str, variant: str) -> ResourceBody:
    """Return the text of a template."""
    template = room.catalogue.find(TemplateAddress.of(category, toolchain, variant))
    return ResourceBody(text=visible(template.body), mime_type=_JINJA)
