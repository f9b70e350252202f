"""The catalogue of templates: those that are built in, the user's and the repository's.

Contract:
- Built-in templates take precedence over the user's, and these over the repository's. A repository can
  therefore add templates, but not replace one at a known address.
- A file that is not a template, or has the address of another one, is listed as unusable; the others work.
- Folders are checked for changes on every request, and read again only if they changed.
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
from holdfast.templates.template import Origin, Template, find_problems

REPOSITORY_FOLDER = ".scaffold"
BUILTIN_FOLDER = str(Path(__file__).with_name("builtin"))
TOOLCHAINS = ("rust", "deno", "python-uv", "go", "node")
CATEGORIES = (
    "makefile", "readme", "gitignore", "manifest", "package", "source", "test", "ci",
    "editorconfig", "license",
)  # fmt: skip


def user_folder() -> str:
    """Return the folder of the user's templates."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    base = configured if os.path.isabs(configured) else os.path.expanduser("~/.config")
    return os.path.join(base, "holdfast", "templates")


class UnusableFile(Output):
    """A file in a folder of templates that is not a usable template."""

    origin: Origin
    file: UntrustedText
    problem: UntrustedText


@dataclass(frozen=True)
class CatalogueSnapshot:
    """The templates and the unusable files of all folders, as they were last read."""

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
        self._fingerprints: list[Fingerprint] | None = None
        self._snapshot = CatalogueSnapshot({}, [])

    def snapshot(self) -> CatalogueSnapshot:
        """Return the current templates, reading folders that changed."""
        # Built-in templates change only with the installation.
        fingerprints = [folder.fingerprint() for origin, folder in self._folders if origin != "built-in"]
        with self._lock:
            if fingerprints != self._fingerprints:
                self._snapshot = _read_folders(self._folders)
                self._fingerprints = fingerprints
            return self._snapshot

    def find(self, address: TemplateAddress) -> Template:
        """Return the template at an address."""
        templates = self.snapshot().templates
        if address in templates:
            return templates[address]
        uri = address.uri
        best = closest(uri, [existing.uri for existing in templates])
        raise TemplateNotFound(
            f"There is no template {uri}.",
            hint=f'Did you mean "{best}"?' if best else "list_templates lists them all.",
            uri=uri,
        )

    def matching(self, toolchain: str | None = None, category: str | None = None) -> list[Template]:
        """Return the templates of a toolchain and a category, or of all where None, in listing order."""
        matching = [
            template
            for address, template in self.snapshot().templates.items()
            if toolchain in (None, address.toolchain) and category in (None, address.category)
        ]
        return sorted(matching, key=_listing_order)


def _folder(path: str) -> Folder:
    return Folder(path, SUFFIX, max_files=LIMITS.own_templates, limit=LIMITS.template_file_bytes)


def _read_folders(folders: Iterable[tuple[Origin, Folder]]) -> CatalogueSnapshot:
    snapshot = CatalogueSnapshot({}, [])
    for origin, folder in folders:
        for file, content in folder.read().items():
            try:
                _add_definition(snapshot, origin, file, content)
            except HoldfastError as failure:
                snapshot.broken.append(UnusableFile(origin=origin, file=file, problem=failure.message))
    return snapshot


def _add_definition(
    snapshot: CatalogueSnapshot, origin: Origin, file: str, content: bytes | HoldfastError
) -> None:
    if isinstance(content, HoldfastError):
        raise content
    definition = parse_template(file, content)
    _refuse_invalid_default(file, definition)
    added = {}
    for declared in definition.metadata.addresses:
        address = TemplateAddress.of(definition.metadata.category, declared.toolchain, declared.variant)
        added[address] = Template(definition, declared, origin, file, address)
    for address in added.keys() & snapshot.templates.keys():
        raise TemplateBroken(f"'{file}' has the address {address}, which is taken.")
    snapshot.templates.update(added)


def _refuse_invalid_default(file: str, definition: TemplateDefinition) -> None:
    declared = definition.metadata.parameters
    defaults = {item.name: item.default for item in declared if item.default is not None}
    problems = find_problems([item for item in declared if item.name in defaults], defaults)
    if problems:
        raise TemplateBroken(f"'{file}' has an invalid default: {problems[0].field}.")


def _listing_order(template: Template) -> tuple[int, int, TemplateAddress]:
    address = template.address
    return _position(address.toolchain, TOOLCHAINS), _position(address.category, CATEGORIES), address


def _position(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)


class Templates:
    """Finds and renders templates. The tools get it as `room`, which is their access to the repository."""

    def __init__(self, repository: Repository) -> None:
        self.catalogue = Catalogue(repository)
        self._renderer = Renderer()

    def find(self, uri: str) -> Template:
        """Return the template at an address."""
        return self.catalogue.find(TemplateAddress.parse(uri))

    def generate(self, template: Template, given: Mapping[str, Any]) -> RenderedFile:
        """Validate parameters, apply defaults, and render a template."""
        return self._renderer.render(template, template.complete(given))

    def close(self) -> None:
        """Do nothing, because no file stays open; every toolset's object has this method."""
