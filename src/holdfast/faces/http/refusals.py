"""Failures that only exist over HTTP, as branches of the one error tree."""

from __future__ import annotations

from holdfast.kernel.errors import Denied, Invalid, NotFound


class Unauthenticated(Denied):
    """Nobody we know is asking."""

    kind = "unauthenticated"
    number = 4010
    http_status = 401


class InsufficientScope(Denied):
    """The access token is good, but grants nothing here."""

    kind = "insufficient_scope"
    number = 4031


class Misdirected(Denied):
    """The request was meant for another host."""

    kind = "misdirected"
    number = 4210
    http_status = 421


class CrossSite(Denied):
    """Another site's page made the browser ask."""

    kind = "cross_site"
    number = 4032


class UnknownRoute(NotFound):
    """Nothing is at that path."""

    kind = "unknown_route"
    number = 4041


class MethodNotAllowed(Invalid):
    """The path exists, for other methods."""

    kind = "method_not_allowed"
    number = 4050
    http_status = 405


class TooSlow(Invalid):
    """The request did not arrive in time."""

    kind = "too_slow"
    number = 4080
    http_status = 408


class UnsupportedMediaType(Invalid):
    """The body is not JSON."""

    kind = "unsupported_media_type"
    number = 4150
    http_status = 415
