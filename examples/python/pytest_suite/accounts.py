"""The code under test: accounts, each a record, and transfers between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import Sequence


class Accounts:
    """Accounts in a set."""

    def __init__(self, records: spikewire.Dataset) -> None:
        self._records = records

    def open(self, owner: str, balance: int) -> None:
        """Opens an account; raises ``RecordExists`` if the owner has one."""
        self._records.put(owner, {"balance": balance}, exists="create")

    def balances(self, owners: Sequence[str]) -> list[int | None]:
        """The balance of each account, in one call; None for missing accounts."""
        rows = self._records.get_many(owners, ["balance"])
        return [None if record is None else int(str(record["balance"])) for record in rows]

    def withdraw(self, owner: str, amount: int) -> bool:
        """Withdraws money if the balance suffices; the server compares, so there is no race."""
        enough = ("$.balance >= ?", amount)
        try:
            self._records.operate(
                owner, [op.add("balance", -amount)], where=enough, exists="update"
            )
        except spikewire.FilteredOut:
            return False
        return True
