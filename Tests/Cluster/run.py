#!/usr/bin/env python3
"""Breaks a PostgreSQL cluster below two nodes of Postern that sign users in, and judges what is left.

Each fault is judged by the calls of two clients' threads: when the first one was acknowledged again on each node after a member took
writes, and how long the slowest answer took. In the end everything that was acknowledged must be on all members, once.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time

import hosts
from cluster import Cluster, ask, eventually
from load import Load, judge

# Seconds from a new primary to the first acknowledged call on each node, and to any answer of a frozen one.
BOUND = 5.0


class Faults:
    """What is done to the cluster, one after the other."""

    def __init__(self, cluster, load, slack):
        self.cluster, self.load, self.slack = cluster, load, slack
        self.failures = []
        self.rows = []

    def all(self):
        faults = [
            self.switchover, self.killed_server, self.killed_host, self.frozen_host, self.cut_host, self.restarted_parts,
            self.restarted_nodes,
        ]
        return [fault for fault in faults if fault != self.cut_host or self.cluster.nodes[0].can_be_cut]

    def switchover(self):
        """The primary is changed by Patroni's operator."""
        old = self.cluster.primary
        start = time.monotonic()
        candidate = self._synchronous(old)
        status, text = ask(
            f"http://{old.host.address}:8008/switchover", {"leader": old.name, "candidate": candidate}, timeout=60
        )
        if status != 200:
            self.failures.append(f"switchover: {status} {text}")
            return
        self._measure("switchover", start, self.cluster.new_primary(old))

    def killed_server(self):
        """The postmaster of the primary is killed with -9; Patroni starts it again or makes another member the primary."""
        old = self.cluster.primary
        pid = int(open(old.host.directory + "/data/postmaster.pid").readline())
        start = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        eventually("a primary is away", lambda: not old.is_primary)
        eventually("a primary", lambda: any(member.is_primary for member in self.cluster.members))
        self._measure("postmaster killed with -9", start, time.monotonic())

    def killed_host(self):
        """Every process of the primary's host is killed with -9."""
        old = self.cluster.primary
        start = time.monotonic()
        old.host.kill()
        self._measure("host of the primary killed", start, self.cluster.new_primary(old))
        old.start()

    def frozen_host(self):
        """Every process of the primary's host is stopped, then goes on as if nothing had been."""
        old = self.cluster.primary
        start = time.monotonic()
        old.host.signal_all(signal.SIGSTOP)
        self._measure("primary frozen", start, self.cluster.new_primary(old), bounds_answers=True)
        old.host.signal_all(signal.SIGCONT)

    def cut_host(self):
        """The network of the primary's host is cut, then mended."""
        old = self.cluster.primary
        start = time.monotonic()
        old.host.cut()
        self._measure("network of the primary cut", start, self.cluster.new_primary(old), bounds_answers=True)
        old.host.mend()

    def restarted_parts(self):
        """etcd, pgbouncer and Patroni of each member, and the balancer, are restarted in turn."""
        start = time.monotonic()
        for member in self.cluster.members:
            for part in ("etcd", "pgbouncer", "patroni"):
                member.host.stop(part)
                member.start_part(part)
                eventually("a primary", lambda: self.cluster.primary)
                self.cluster.settle()
        self.cluster.balancer.stop("haproxy")
        self.cluster.start_balancer()
        self._measure("each part restarted", start, time.monotonic())

    def restarted_nodes(self):
        """Postern's nodes are restarted one after the other. What one refuses, the other takes."""
        self._restart_nodes("nodes restarted", 0)

    def upgraded_nodes(self, binary):
        """The nodes are replaced by another version one after the other, as in a rolling upgrade. Both versions serve for a while."""
        self.cluster.binary = binary
        self._restart_nodes("nodes upgraded", 15)

    def _restart_nodes(self, name, rest):
        start = time.monotonic()
        for number, node in enumerate(self.cluster.nodes):
            other = 1 - number
            begin = time.monotonic()
            code = node.stop("postern")
            if code != 0:
                self.failures.append(f"node {number + 1} ended with {code}")
            self.cluster.start_node(number)
            refused = [c for c in self.load.refused(begin) if c.node == other]
            if refused:
                self.failures.append(f"{len(refused)} calls were refused by the node that stayed")
            time.sleep(rest)
        self._measure(name, start, time.monotonic())

    def _synchronous(self, primary):
        names = primary.query("SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'")
        return names.splitlines()[0]

    def _measure(self, name, start, recovered, bounds_answers=False):
        """Waits until both nodes have acknowledged a call that began after the fault was over, and notes the figures."""
        back = []
        for node in range(2):
            eventually(
                f"{name}: node {node + 1} signs in again",
                lambda node=node: any(c.start >= recovered for c in self.load.acknowledged(node, recovered)),
            )
            back.append(min(c.end for c in self.load.acknowledged(node, recovered)) - recovered)
        end = time.monotonic()
        refused = self.load.refused(start, end)
        ends = sorted(c.end for c in self.load.acknowledged(since=start - 1, until=end))
        gap = max((later - earlier for earlier, later in zip(ends, ends[1:])), default=0)
        slowest = max((c.end - c.start for c in self.load.calls if start <= c.end <= end), default=0)
        self.rows.append((name, gap, back, slowest, len(refused)))
        print(
            f"{name:28} no answer for {gap:5.1f} s, back after {back[0]:4.1f} and {back[1]:4.1f} s, "
            f"slowest {slowest:4.1f} s, {len(refused)} refused",
            flush=True,
        )
        if max(back) > BOUND + self.slack:
            self.failures.append(f"{name}: calls were acknowledged only {max(back):.1f} s after the new primary")
        if bounds_answers and slowest > BOUND + self.slack:
            self.failures.append(f"{name}: an answer took {slowest:.1f} s")


def work(arguments):
    if arguments.inside:
        hosts.make_switch()
    directory = tempfile.mkdtemp(prefix="postern-cluster.")
    os.chmod(directory, 0o755)
    failures = ["interrupted"]
    load = None
    try:
        binary = os.path.abspath(arguments.binary)
        make_host = hosts.NamespaceHost if arguments.inside else hosts.Host
        cluster = Cluster(directory, os.path.abspath(arguments.upgrade_from) if arguments.upgrade_from else binary, make_host)
        cluster.start()
        load = Load(cluster.nodes, arguments.pause)
        load.start()
        faults = Faults(cluster, load, arguments.slack)
        if arguments.upgrade_from:
            # Some accounts are from the older version.
            time.sleep(10)
            faults.upgraded_nodes(binary)
        end = time.monotonic() + arguments.minutes * 60
        rounds = 0
        while rounds == 0 or time.monotonic() < end:
            for fault in faults.all():
                # A part of a first round is as good as none, so it is always completed.
                if rounds > 0 and time.monotonic() > end:
                    break
                fault()
                cluster.settle()
            rounds += 1
        load.stop()
        cluster.settle()
        primary = cluster.primary
        position = primary.query("SELECT pg_current_wal_lsn()")
        for member in cluster.members:
            if member is not primary:
                eventually(
                    f"{member.name} has caught up",
                    lambda member=member: member.query(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == "t",
                )
        faulty, accounts, sessions = judge(load, cluster.members)
        code, verdict = cluster.command("audit", "verify")
        print(f"audit trail: {verdict.splitlines()[-1] if verdict else ''}")
        if code != 0:
            faulty.append(f"the audit trail is broken: {verdict}")
        failures = faults.failures + faulty
        print(
            f"{rounds} rounds, {len(load.calls)} calls, {len(load.acknowledged())} acknowledged, {accounts} accounts, "
            f"{sessions} sessions, on three members alike: {'no' if faulty else 'yes'}"
        )
        lines = sum(1 for node in cluster.nodes for _ in open(node.directory + "/postern.log"))
        print(f"log lines of both nodes: {lines}")
    finally:
        if load and not load.is_over:
            load.stop()
        hosts.end_all()
        if failures:
            print(f"logs are in {directory}", file=sys.stderr)
        else:
            shutil.rmtree(directory)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=".build/release/postern", help="the server")
    parser.add_argument("--minutes", type=float, default=0, help="repeat the faults for so long; at least once")
    parser.add_argument("--slack", type=float, default=0, help="seconds that a busy machine may take longer than the bound")
    parser.add_argument("--upgrade-from", help="a server of an older version, which the nodes begin with", metavar="BINARY")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds that a client waits after an answer")
    parser.add_argument("--loopback", action="store_true", help="hosts are addresses of this machine, also where namespaces work")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside and not arguments.loopback and hosts.namespaces_work():
        # A network of its own; it goes with the last process in it.
        os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv, "--inside"])
    if not arguments.inside:
        print("Hosts are addresses of this machine, so that no network is cut.", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))
    sys.exit(work(arguments))


if __name__ == "__main__":
    main()
