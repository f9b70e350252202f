"""The room: the catalogue of one repository, and files made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.storage.git.repository import Repository
from holdfast.templates.address import Address
from holdfast.templates.catalogue import Catalogue
from holdfast.templates.rendering import RenderedFile, Renderer
from holdfast.templates.template import Template


class Templates:
    """Finds templates and renders them."""

    def __init__(self, repository: Repository) -> None:
        self.catalogue = Catalogue(repository)
        self._renderer = Renderer()

    def find(self, uri: str) -> Template:
        """Return the template at an address."""
        return self.catalogue.find(Address.parse(uri))

    def generate(self, template: Template, given: Mapping[str, Any]) -> RenderedFile:
        """Return the file that a template gives, defaults applied, once its parameters were checked."""
        return self._renderer.render(template, template.filled(given))

    def close(self) -> None:
        """Nothing is held open."""
