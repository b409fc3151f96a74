"""Records in pandas, Polars and DuckDB, and back.

A batch or a query becomes an Arrow table, which all three accept without a copy. ``put_many``
writes their results back directly.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import seeds

import spikewire

COUNT = 3000
CITIES = ("Lisbon", "Oslo", "Quito")


def from_polars(orders: spikewire.Dataset, totals: spikewire.Dataset) -> None:
    """Reads a batch into Polars; sums of its groups become records of another set."""
    table = orders.get_many(range(COUNT + 1)).to_arrow(key="order")
    frame = pl.DataFrame(table)
    # The last key has no record: its row contains nulls.
    print("polars", frame.shape, frame["price"].null_count())
    sums = frame.drop_nulls("city").group_by("city").agg(pl.sum("price"), pl.len().alias("n"))
    totals.put_many(sums, key="city").raise_for_errors()
    print("polars wrote", totals.get("Oslo").bins)


def from_pandas(orders: spikewire.Dataset) -> None:
    """Reads a batch into pandas with the user keys as index, which are the keys when writing
    back.
    """
    frame = orders.get_many(range(10), bins=["price", "city"]).to_pandas()
    frame["taxed"] = (frame["price"] * 1.2).round(2)
    orders.put_many(frame[["taxed"]]).raise_for_errors()
    print("pandas wrote", orders.get(9)["taxed"])
    # A query as Arrow tables, each of them a frame: a set of any size in little memory.
    tables = orders.query(where="$.price < 500.0", bins=["price"]).arrow_batches(1000)
    print("pandas read", sum(pd.DataFrame.from_arrow(table)["price"].sum() for table in tables))


def from_duckdb(orders: spikewire.Dataset) -> None:
    """Queries the tables of a query with SQL and writes the result back."""
    with duckdb.connect() as database:
        database.execute("create table orders (id bigint, price double)")
        for table in orders.query(where="$.price > 500.0", bins=["id", "price"]).arrow_batches(
            1000
        ):
            database.register("part", table)
            database.execute("insert into orders select id, price from part")
        answer = database.sql("select id, rank() over (order by price desc) as rank from orders")
        orders.put_many(answer, key="id", exists="update").raise_for_errors()
    best = orders.query(where="$.rank == 1", bins=["price"])
    print("duckdb ranked", [record["price"] for record in best])


def main() -> None:
    """Runs each of them in turn on one set."""
    with seeds.find() as where, spikewire.Client(where, timeout=30) as client:
        orders = client.dataset("test", "orders")
        rows = {n: {"id": n, "price": n / 4, "city": CITIES[n % 3]} for n in range(COUNT)}
        orders.put_many(rows).raise_for_errors()
        from_polars(orders, client.dataset("test", "totals"))
        from_pandas(orders)
        from_duckdb(orders)


if __name__ == "__main__":
    main()
