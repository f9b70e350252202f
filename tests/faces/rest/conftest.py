from tests.faces.http.conftest import server

__all__ = ["server"]
