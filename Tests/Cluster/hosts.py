"""Hosts as network namespaces on one switch, and the processes that run on them.

Everything is reached from the switch's own namespace, in which the program runs. Nothing touches the machine's own network.
"""

import os
import signal
import subprocess
import time

NETWORK = "10.77.0."
PREFIX = f"postern{os.getpid()}"


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True)


class Host:
    """A network namespace with an address and the processes that were started in it."""

    hosts = []

    def __init__(self, name, number, directory):
        self.name = name
        self.address = NETWORK + str(number)
        self.directory = os.path.join(directory, name)
        self.namespace = f"{PREFIX}-{name}"
        self.cable = f"cable-{name}"
        self.processes = {}
        os.makedirs(self.directory)
        os.chmod(self.directory, 0o777)
        run("ip", "netns", "add", self.namespace)
        Host.hosts.append(self)
        run("ip", "link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.namespace)
        run("ip", "link", "set", self.cable, "master", "switch", "up")
        for command in ("addr add 127.0.0.1/8 dev lo", "link set lo up", f"addr add {self.address}/24 dev eth0", "link set eth0 up"):
            run("ip", "-n", self.namespace, *command.split(), check=False)

    def start(self, part, *command, user=None, environment=None):
        """Starts a process, whose output goes to a file of its name."""
        prefix = ["ip", "netns", "exec", self.namespace]
        if user:
            prefix += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        with open(os.path.join(self.directory, part + ".log"), "ab") as log:
            self.processes[part] = subprocess.Popen(
                prefix + list(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                env={"PATH": os.environ["PATH"] + ":/usr/sbin", "HOME": self.directory, **(environment or {})},
                start_new_session=True,
            )

    def stop(self, part, number=signal.SIGTERM):
        """Ends a process and waits for it. Its exit code."""
        process = self.processes.pop(part)
        process.send_signal(number)
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def signal_all(self, number):
        """Signals every process of the host."""
        for pid in run("ip", "netns", "pids", self.namespace).stdout.split():
            try:
                os.kill(int(pid), number)
            except ProcessLookupError:
                pass

    def kill(self):
        """The host loses its power."""
        # A process may have started another one between the list and the signal.
        while run("ip", "netns", "pids", self.namespace).stdout.split():
            self.signal_all(signal.SIGKILL)
            time.sleep(0.05)
        for process in self.processes.values():
            process.wait()
        self.processes = {}

    def cut(self):
        """Pulls the network cable."""
        run("ip", "link", "set", self.cable, "down")

    def mend(self):
        run("ip", "link", "set", self.cable, "up")


def make_switch():
    """The bridge that all hosts are connected to, in the namespace of this program."""
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "switch", "type", "bridge")
    run("ip", "addr", "add", NETWORK + "254/24", "dev", "switch")
    run("ip", "link", "set", "switch", "up")


def end_all():
    for host in Host.hosts:
        host.signal_all(signal.SIGCONT)
        host.kill()
        run("ip", "netns", "del", host.namespace, check=False)
    Host.hosts = []
