"""Which templates there are: the built-in ones, the user's and the repository's.

Contract:
- No template takes another's address: first come the built-in ones, then the user's, then the repository's. A
  repository can therefore add templates and never change what a known address gives.
- A file that is no template, or wants an address that is taken, is one named entry; the others work.
- Folders are looked at anew for every request and read only when something in them changed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.kernel.errors import HoldfastError, closest
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.folder import Fingerprint, Folder
from holdfast.storage.git.repository import Repository
from holdfast.templates.address import TemplateAddress
from holdfast.templates.definition import SUFFIX, TemplateDefinition, parse_template
from holdfast.templates.errors import TemplateBroken, TemplateNotFound
from holdfast.templates.renderer import RenderedFile, Renderer
from holdfast.templates.template import Origin, Template, problems

REPOSITORY_FOLDER = ".scaffold"
BUILTIN_FOLDER = str(Path(__file__).with_name("builtin"))
TOOLCHAINS = ("rust", "deno", "python-uv", "go", "node")
CATEGORIES = (
    "makefile", "readme", "gitignore", "manifest", "package", "source", "test", "ci",
    "editorconfig", "license",
)  # fmt: skip


def user_folder() -> str:
    """Return where this user keeps templates."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    base = configured if os.path.isabs(configured) else os.path.expanduser("~/.config")
    return os.path.join(base, "holdfast", "templates")


class UnusableFile(Output):
    """A file in a folder of templates that gives none."""

    origin: Origin
    file: UntrustedText
    problem: UntrustedText


@dataclass(frozen=True)
class CatalogueSnapshot:
    """What the folders held when they were last read."""

    templates: dict[TemplateAddress, Template]
    broken: list[UnusableFile]


class Catalogue:
    """Finds templates by address."""

    def __init__(self, repository: Repository) -> None:
        self._folders: list[tuple[Origin, Folder]] = [
            ("built-in", _folder(BUILTIN_FOLDER)),
            ("user", _folder(user_folder())),
        ]
        if not repository.bare:
            self._folders.append(("repository", _folder(os.path.join(repository.root, REPOSITORY_FOLDER))))
        self._lock = threading.Lock()
        self._seen: list[Fingerprint] | None = None
        self._shelf = CatalogueSnapshot({}, [])

    def shelf(self) -> CatalogueSnapshot:
        """Return everything there is at this moment."""
        seen = [folder.fingerprint() for origin, folder in self._folders if origin != "built-in"]
        with self._lock:
            if seen != self._seen:
                self._shelf, self._seen = _read(self._folders), seen
            return self._shelf

    def find(self, address: TemplateAddress) -> Template:
        """Return the template at an address."""
        known = self.shelf().templates
        if address in known:
            return known[address]
        uri = address.uri
        best = closest(uri, [other.uri for other in known])
        raise TemplateNotFound(
            f"There is no template {uri}.",
            hint=f'Did you mean "{best}"?' if best else "list_templates shows them all.",
            uri=uri,
        )

    def matching(self, toolchain: str | None = None, category: str | None = None) -> list[Template]:
        """Return the templates of a toolchain and a category, each if given, in the order of lists."""
        found = [
            template
            for address, template in self.shelf().templates.items()
            if toolchain in (None, address.toolchain) and category in (None, address.category)
        ]
        return sorted(found, key=_listing_order)


def _folder(path: str) -> Folder:
    return Folder(path, SUFFIX, most=LIMITS.own_templates, limit=LIMITS.template_file_bytes)


def _read(folders: Iterable[tuple[Origin, Folder]]) -> CatalogueSnapshot:
    shelf = CatalogueSnapshot({}, [])
    for origin, folder in folders:
        for file, content in folder.read().items():
            try:
                _put_on(shelf, origin, file, content)
            except HoldfastError as failure:
                shelf.broken.append(UnusableFile(origin=origin, file=file, problem=failure.message))
    return shelf


def _put_on(shelf: CatalogueSnapshot, origin: Origin, file: str, content: bytes | HoldfastError) -> None:
    if isinstance(content, HoldfastError):
        raise content
    definition = parse_template(file, content)
    _check_defaults(file, definition)
    made = {}
    for place in definition.metadata.addresses:
        address = TemplateAddress.of(definition.metadata.category, place.toolchain, place.variant)
        made[address] = Template(definition, place, origin, file, address)
    for address in made.keys() & shelf.templates.keys():
        raise TemplateBroken(f"'{file}' wants the address {address}, which is taken.")
    shelf.templates.update(made)


def _check_defaults(file: str, definition: TemplateDefinition) -> None:
    declared = definition.metadata.parameters
    defaults = {item.name: item.default for item in declared if item.default is not None}
    found = problems([item for item in declared if item.name in defaults], defaults)
    if found:
        raise TemplateBroken(f"'{file}' has a default that it would refuse: {found[0].field}.")


def _listing_order(template: Template) -> tuple[int, int, TemplateAddress]:
    address = template.address
    return _place(address.toolchain, TOOLCHAINS), _place(address.category, CATEGORIES), address


def _place(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)


class Templates:
    """Finds templates and renders them."""

    def __init__(self, repository: Repository) -> None:
        self.catalogue = Catalogue(repository)
        self._renderer = Renderer()

    def find(self, uri: str) -> Template:
        """Return the template at an address."""
        return self.catalogue.find(TemplateAddress.parse(uri))

    def generate(self, template: Template, given: Mapping[str, Any]) -> RenderedFile:
        """Return the file that a template gives, defaults applied, once its parameters were checked."""
        return self._renderer.render(template, template.filled(given))

    def close(self) -> None:
        """Nothing is held open."""
