"""What is said about the address of a team's database, which may hold a password."""

from __future__ import annotations

import pytest

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.sql.postgres import PostgresStore, checked_address


@pytest.mark.parametrize(
    "address",
    [
        "mysql://ada:s3cret@db/tasks",
        "postgresql://ada:s3cret%zz@db/tasks",
        "postgresql://ada:s3cret@[db/tasks",
        "postgresql://ada:s3cret@db:port/tasks",
        "postgresql://ada:s3cret@db/tasks?s3cret",
        "postgresql://ada:s3cret@db/tasks?unheard=s3cret",
        "postgresql://ada:s3cret\udc80@db/tasks",
    ],
)
def test_a_malformed_address_is_refused_without_a_word_of_it(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(HoldfastError) as refused:
        PostgresStore(checked_address(address), migrations=())
    assert "s3cret" not in f"{refused.value.sentence()} {capsys.readouterr()}"
    assert refused.value.hint
