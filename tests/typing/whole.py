"""What type checkers infer for everything around the verbs: indexes, modules, jobs, metrics, pools,
profiles, codecs and the embedded cluster."""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
import pathlib
import ssl
from array import array
from collections.abc import Callable, Mapping
from typing import Any

from typing_extensions import assert_type

from spikewire import (
    AsyncClient,
    AsyncDataset,
    Client,
    Pool,
    Profile,
    Profiles,
    codec,
    metrics,
    tasks,
)
from spikewire.aerospike.recording import State
from spikewire.codec import Form
from spikewire.indexes import Index
from spikewire.jobs import AsyncJob, Job, JobProgress
from spikewire.metrics import CommandStats, NodeStats
from spikewire.modules import Module
from spikewire.opening import Opening, read
from spikewire.pool import Job as PoolJob
from spikewire.pool import Results
from spikewire.profiles import ClientView, Explanation, Watch
from spikewire.recording import (
    AsyncRecording,
    Recording,
    RecordingSummary,
    Trace,
    read_trace,
)
from spikewire.testing import Certificates, Cluster
from spikewire.types import ClientSubmit


class Color(enum.Enum):
    RED = 1


async def coroutine(number: int) -> str:
    return str(number)


def administration(client: Client) -> None:
    assert_type(client.indexes.create("test", "users", "n", int), str)
    client.indexes.wait("test", "i")
    assert_type(client.indexes.create_on_set("test", "s", name="i"), str)
    assert_type(client.indexes.list("test"), list[Index])
    client.indexes.drop("test", None, "i")
    client.modules.register("m.lua", "")
    assert_type(client.modules.list(), list[Module])
    assert_type(client.modules.source("m.lua"), str)
    client.modules.remove("m.lua")


async def awaited_administration(client: AsyncClient) -> None:
    assert_type(await client.indexes.create("test", "users", "n", int), str)
    await client.indexes.wait("test", "i")
    assert_type(await client.indexes.create_on_set("test", "s", wait=False), str)
    assert_type(await client.indexes.list("test"), list[Index])
    await client.indexes.drop("test", None, "i")
    await client.modules.register("m.lua", "")
    assert_type(await client.modules.list(), list[Module])
    assert_type(await client.modules.source("m.lua"), str)
    await client.modules.remove("m.lua")


def found(index: Index, module: Module) -> None:
    assert_type(index.name, str)
    assert_type(index.namespace, str)
    assert_type(index.set, str | None)
    assert_type(index.bin, str | None)
    assert_type(index.kind, str)
    assert_type(index.of, str)
    assert_type(index.ready, bool)
    assert_type(module.name, str)
    assert_type(module.hash, str)


def jobs(job: Job) -> None:
    assert_type(job.id, int)
    assert_type(job.progress(), JobProgress)
    assert_type(job.wait(timeout=5), JobProgress)
    job.abort()
    assert_type(job.progress().done, bool)
    assert_type(job.progress().aborted, bool)
    assert_type(job.progress().percent, float)
    assert_type(job.progress().succeeded, int)
    assert_type(job.progress().failed, int)
    assert_type(job.progress().filtered, int)


async def awaited_jobs(job: AsyncJob) -> None:
    assert_type(job.id, int)
    assert_type(await job.progress(), JobProgress)
    assert_type(await job.wait(), JobProgress)
    await job.abort()


def counting(client: Client, stats: metrics.Stats, of: metrics.CommandStats) -> None:
    assert_type(client.metrics.enabled, bool)
    client.metrics.enable()
    client.metrics.disable()
    client.metrics.reset()
    assert_type(client.metrics.on_event(print), Callable[[], None])
    assert_type(client.metrics.log_events(), Callable[[], None])
    client.metrics.log_slow(0.1)
    assert_type(stats.select(), CommandStats)
    assert_type(stats.commands, tuple[CommandStats, ...])
    assert_type(of.parts, int)
    assert_type(stats.nodes, tuple[NodeStats, ...])
    assert_type(of.mean, float)
    assert_type(of.quantile(0.5), float)
    assert_type(metrics.prometheus(client), str)
    assert_type(metrics.prometheus({"users": client}), str)
    shown: metrics.HasStats = client
    assert_type(shown.stats(), metrics.Stats)
    assert_type(client.metrics.stages, bool)
    assert_type(stats.stages, tuple[metrics.StageStats, ...])
    assert_type(stats.near_cache, metrics.NearCacheStats | None)
    assert_type(stats.stages[0].mean, float)
    assert_type(stats.stages[0].quantile(0.5), float)
    assert_type((stats.retries_sent, stats.retries_denied), tuple[int, int])
    assert_type(stats.nodes[0].share, float)
    assert_type(stats.nodes[0].limit, int | None)
    assert_type(stats.nodes[0].in_flight, int)
    assert_type(stats.nodes[0].waiting, int)
    assert_type(stats.nodes[0].rejections, int)
    node, command = stats.nodes[0], stats.commands[0]
    assert_type((node.connect_buckets, node.connect_seconds), tuple[tuple[int, ...], float])
    assert_type((node.control_sent, node.control_received), tuple[int, int])
    assert_type((command.bytes_sent, command.bytes_received), tuple[int, int])
    metrics.asgi_app(client)
    metrics.wsgi_app(client)


def recordings(client: Client, trace: Trace) -> None:
    with client.record("evening.trace") as recording:
        assert_type(recording, Recording)
        assert_type(recording.summary, RecordingSummary)
    assert_type(recording.stop(), RecordingSummary)
    assert_type(read_trace("evening.trace", partial=True), Trace)
    assert_type((trace.share, trace.began, trace.seconds), tuple[float, float, float])
    assert_type((trace.version, trace.labels, trace.sets), tuple[str, list[str], list[int]])
    assert_type((trace.dropped, trace.state), tuple[int, State])
    assert_type(trace.arrival, array[int])
    assert_type(trace.latency, array[int])
    assert_type(trace.operation, array[int])
    assert_type(trace.result, array[int])
    assert_type(trace.writes, array[int])
    assert_type(trace.set, array[int])
    assert_type(trace.rows, array[int])
    assert_type(trace.request, array[int])
    assert_type(trace.reply, array[int])
    assert_type(trace.key, array[int])


async def awaited_recordings(client: AsyncClient) -> None:
    async with client.record("evening.trace", share=1.0) as recording:
        assert_type(recording, AsyncRecording)
    assert_type(await recording.stop(), RecordingSummary)


async def pools(pool: Pool) -> None:
    assert_type(pool.client, AsyncClient)
    assert_type(pool.loops, int)
    assert_type(pool.client.explain("get"), Explanation)
    assert_type(pool.stats(), metrics.Stats)
    assert_type(pool.metrics, metrics.Metrics)
    assert_type(Pool(clients="each"), Pool)
    Pool(clients="both")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert_type(pool.is_open, bool)
    assert_type(pool.dataset("test"), AsyncDataset)
    assert_type(pool.run(coroutine, 1), PoolJob[str])
    assert_type(pool.run(coroutine, 1).result(), str)
    assert_type(pool.run(coroutine, 1).exception(), BaseException | None)
    assert_type(pool.run(coroutine, 1).cancel(), bool)
    assert_type(await pool.map(coroutine, [1]), list[str])
    assert_type(pool.map(coroutine, [1]), Results[str])
    assert_type(await pool.gather(coroutine(1)), list[Any])
    assert_type(pool.open(), Pool)
    assert_type(Pool.from_url("aerospike://127.0.0.1/test", loops=2), Pool)
    pool.close()
    pool.abandon()
    pool.map(coroutine, [1]).close()
    await pool.map(coroutine, [1]).aclose()


def of_profiles(profile: Profile, profiles: Profiles, client: Client) -> None:
    assert_type(profile.name, str)
    assert_type(profile.options, dict[str, Any])
    assert_type(profiles["fast"], Profile)
    assert_type(profiles.path, pathlib.Path)
    assert_type(profiles.reload(), bool)
    assert_type(profiles.watch(), Watch)
    profiles.watch().stop()
    assert_type(client.with_profile(profile).profile, Profile)
    assert_type(client.explain("get", timeout=1), Explanation)
    assert_type(client.with_profile(profile).explain("get"), Explanation)
    assert_type(client.with_profile(profile).explain("get")["timeout"].option, str)
    assert_type(client.with_profile(profile).explain("get")["timeout"].value, Any)
    assert_type(client.with_profile(profile).submit, ClientSubmit)
    assert_type(client.with_profile(profile).with_profile(profile), ClientView)


def codecs(of: codec.Codec) -> None:
    assert_type(of.types, Mapping[type[Any], Callable[[Any], object]])
    assert_type(of.bins, Mapping[str, Form[Any]])
    assert_type(of.encode("a", 1), object)
    assert_type(of.decode("a", 1), Any)
    assert_type(codec.enum(Color), Form[Color])
    assert_type(codec.iso(), Form[dt.datetime])
    assert_type(codec.json(), Form[Any])
    assert_type(codec.pickle(), Form[Any])
    assert_type(codec.text(str), Form[str])
    assert_type(codec.timestamp(), Form[dt.datetime])


def clusters(cluster: Cluster) -> None:
    assert_type(cluster.addresses, list[str])
    cluster.kill(0)
    cluster.restart(0)
    assert_type(cluster.is_alive(0), bool)
    assert_type(cluster.node_name(0), str)
    assert_type(cluster.wait_settled(), bool)
    cluster.clear_faults(0)
    cluster.truncate()
    certificates = cluster.certificates
    if certificates is not None:
        assert_type(certificates, Certificates)
        assert_type(certificates.ca, pathlib.Path)
        assert_type(certificates.context(), ssl.SSLContext)
    cluster.stop()


def openings(opening: Opening) -> None:
    assert_type(opening.seeds, str)
    assert_type(opening.namespace, str | None)
    assert_type(opening.options, dict[str, Any])
    assert_type(opening.sources, dict[str, str])
    assert_type(opening.explain(), str)
    assert_type(read("aerospike://a"), Opening)


async def of_tasks(future: asyncio.Future[int]) -> None:
    assert_type(await tasks.settled(future), int)
    assert_type(tasks.begun(tasks.settled(future)), asyncio.Task[int])
    assert_type(tasks.accept_awaitables(), bool)
    assert_type(
        tasks.task_factory(asyncio.get_running_loop(), tasks.settled(future)), asyncio.Task[Any]
    )
